// Operands of instructions as written (PTX ISA, section 6); whether an instruction may have them is checked
// in operand_check.h.
#pragma once

#include "state.h"

namespace kerncast::ptx {

// A register, constant, symbol, special register, address, vector, `_` or d|p.
bool parse_operand(State& state, Operand& out);
// The register that a name means here, no_id if it means none; numbered registers are added on first use.
RegisterId find_register(State& state, const Token& name);
// The declaration `.reg .b32 %r<9>` that declares a register of this name, nullptr if there is none.
const Symbol* find_register_range(const State& state, std::string_view name);
// `[...]`, also with `.unified` behind it.
bool parse_address(State& state, Operand& out);
// A name: a register, a special register or a symbol with its offset or index.
bool parse_register_or_symbol(State& state, Operand& out);
// `+ 8` behind a symbol, or nothing.
bool parse_symbol_offset(State& state, Operand& out);
// Operands up to a closing character, which stays: elements of a vector, arguments of a call.
bool parse_elements(State& state, char closing, Operand& out);

} // namespace kerncast::ptx
