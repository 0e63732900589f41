// The working form as a tasklist.
#pragma once

#include "program.h"
#include "program_facts.h"

namespace kerncast::lowering {

// Live ops become tasks; values are numbered in the order in which they appear. Dependencies are left out.
// `facts` are those of the program before it was cleaned up.
tasklist::Tasklist emit(Program program, const ProgramFacts& facts);

} // namespace kerncast::lowering
