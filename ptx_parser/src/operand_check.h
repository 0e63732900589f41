// Do the operands of an instruction fit its row of the syntax table (PTX ISA, section 9.4)?
#pragma once

#include "state.h"

namespace kerncast::ptx {

// Reports the first operand that does not fit; `opcode` is the opcode's place.
bool check_operands(State& state, const Signature& signature, std::span<const Operand> operands,
                    Place opcode);

} // namespace kerncast::ptx
