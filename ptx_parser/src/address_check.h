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
// What is wrong with an address of the right form, empty if nothing is.
std::string misplaced(const State& state, const Signature& signature, const Operand& address);

} // namespace kerncast::ptx
