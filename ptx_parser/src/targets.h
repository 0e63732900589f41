// Operands that name code: bra, brx.idx and call, and the lists they refer to (PTX ISA, sections 9.7.12 and
// 11.3: .branchtargets, .calltargets, .callprototype).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// Operands of bra, brx.idx or call into `state.scratch`.
bool parse_target_operands(State& state, Opcode opcode);
// The directive behind `name:`; false with an error. `is_list` tells whether there was one.
bool parse_target_list(State& state, const Token& name, bool& is_list);

} // namespace kerncast::ptx
