// Addresses of instructions: what their base may be, texture coordinates, state spaces.
#pragma once

#include "signature.h"
#include "state.h"

namespace kerncast::ptx {

// How many coordinates the instruction's geometry (.2d, .a1d, .cube) asks for, and of which type.
Coordinates coordinates_of(const Signature& signature);

// Has the address the form [base + offset], or [base, coordinates] if `with_coordinates`?
bool accepts_address(const State& state, const Signature& signature, const Operand& address,
                     bool with_coordinates);
// Can the instruction use the addresses among its operands, which have the right form? Else an error.
bool check_addresses(State& state, const Signature& signature, std::span<const Operand> operands);

} // namespace kerncast::ptx
