// Operands as compilers write nearly all of them, %r17, -42 and [%rd4+16], read from the text at once.
// Whatever looks otherwise is left to operands.h, which reads these too and reports what is wrong.
#pragma once

#include "state.h"

namespace kerncast::ptx {

// From behind the opcode: adds plain operands to State::scratch up to the first one that is not. True if the
// statement ended with them; then the token at hand is the first of the next statement. Else the next token
// is the first of an operand that is not plain.
bool parse_plain_operands(State& state);

// Reads %r17 of a `.reg .b32 %r<20>`; no_id for every other name. `p` comes to lie behind what was read.
RegisterId read_plain_register(State& state, const char*& p);

// The register of a numbered range, added to the function on first use.
RegisterId register_in(State& state, const Symbol& range, std::uint32_t number, std::string_view name,
                       Place place);

} // namespace kerncast::ptx
