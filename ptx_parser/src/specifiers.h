// What stands between a declaration's linkage and its name: state space, alignment, attributes, vector length
// and type (PTX ISA, sections 5.1 to 5.4).
#pragma once

#include "declarations.h"

namespace kerncast::ptx {

// From the first specifier to behind the last one.
bool parse_specifiers(State& state, const VariableContext& context, Variable& out);
// `(.managed, .unified(1, 2))`, from behind .attribute: checked and kept as written.
bool parse_attribute(State& state, std::string_view& out, bool may_be_managed);

// The type that a directive like `.u32` names.
std::optional<Type> type_named(const Token& token);
std::optional<Space> space_named(const Token& token);
// 2 of `.v2`; 0 of other tokens.
std::uint32_t vector_length_named(const Token& token);
// May a variable's declaration begin like this?
bool begins_variable(const Token& token);

} // namespace kerncast::ptx
