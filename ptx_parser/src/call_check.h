// Arguments and results of calls against the function's declaration and the prototype named behind
// them (PTX ISA, section 7.1).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// `results` and `arguments` are vectors; `prototype` names a prototype or a list of targets, or nothing.
// False after an error.
bool check_call(State& state, const Operand& callee, const Operand& results, const Operand& arguments,
                const Operand& prototype);

} // namespace kerncast::ptx
