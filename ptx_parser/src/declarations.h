// Declarations of registers and variables (PTX ISA, sections 5.1 to 5.4).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// `.reg .b32 a, b<3>, c;`
bool parse_registers(State& state);

// One variable after its linkage; `.param .u64 .ptr .global .align 16 p`, `.shared .align 4 .b8 t[64]`.
struct VariableContext {
  bool is_parameter = false;       // of a function: `_` and unsized arrays are allowed, no initial value
  bool is_entry_parameter = false; // `.ptr` and an alignment behind the type are allowed
  bool in_body = false;            // no initial value
  Linkage linkage = Linkage::internal;
};
bool parse_variable(State& state, const VariableContext& context, Variable& out);
// Further names of the same declaration, `, b, c[4]`; appends the first and the others to `out` and
// declares them as `kind` with the index of their place in `out`.
bool parse_variables(State& state, const VariableContext& context, SymbolKind kind,
                     std::vector<Variable>& out);
// Declares a register; false after an error for one that the scope has already.
bool declare_register(State& state, const Token& name, Type type, std::uint8_t vector_length);
// Declares a name; false after an error for one that the scope has already.
bool declare(State& state, SymbolTable& table, std::string_view name, Place place, const Symbol& symbol);

} // namespace kerncast::ptx
