// Arguments and results of calls against the function's declaration (PTX ISA, section 7.1).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// `results` and `arguments` are vectors. False after an error.
bool check_call(State& state, const Operand& callee, const Operand& results, const Operand& arguments);

} // namespace kerncast::ptx
