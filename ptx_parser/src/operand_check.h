// Do the operands of an instruction fit its row of the syntax table (PTX ISA, section 9.4)?
#pragma once

#include "state.h"

namespace kerncast::ptx {

// Reports the first operand that does not fit; `opcode` is the opcode's place.
bool check_operands(State& state, const Signature& signature, std::span<const Operand> operands,
                    Place opcode);

// May a register of type `have` stand where an instruction wants `want`? Equal sizes, and integers of either
// sign or untyped bits among each other, floating-point types only their own or untyped bits. With `wider`
// the register may be larger than the integer or bits it holds (ld, st, cvt).
bool register_fits(Type have, Type want, bool wider);

} // namespace kerncast::ptx
