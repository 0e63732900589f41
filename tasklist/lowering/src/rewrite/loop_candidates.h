// Whether find_complete_loops() could find a loop, which takes much less than to lower the kernel for it.
#pragma once

#include "program_facts.h"

namespace kerncast::lowering {

// False if no loop ends in a branch back on a comparison of a counter, which may start at a number, with
// another.
bool may_have_complete_loops(const Program& program, const ProgramFacts& facts);

} // namespace kerncast::lowering
