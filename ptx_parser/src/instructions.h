// One instruction statement: guard, opcode, operands, `;`.
#pragma once

#include "state.h"

namespace kerncast::ptx {

// From `@` or the opcode's first word to behind the `;`.
bool parse_instruction(State& state);

} // namespace kerncast::ptx
