// What declarations may say, beyond their form (PTX ISA, sections 5.1 to 5.4 and 7.1).
#pragma once

#include "declarations.h"

namespace kerncast::ptx {

// False after an error; `v` is complete, with its initial value.
bool check_variable(State& state, const VariableContext& context, const Variable& v);
bool check_register_type(State& state, Place at, Type type, std::uint32_t vector_length);
// A new name that a label or `.reg .b32 %r<9>` of this scope declares as well; notes it for later ranges.
bool check_overlap(State& state, std::string_view name, Place at);
// Names of this scope that a new declaration `stem<count>` declares as well.
bool check_overlap(State& state, std::string_view stem, std::uint32_t count, Place at);
bool check_entry_parameters(State& state, const Function& entry);
// A function that is declared again has the same parameters.
bool check_redeclaration(State& state, const Function& earlier, const Function& later);
bool have_same_signature(const Function& a, const Function& b);
// And once its directives are known, and whether a body follows.
bool check_whole_redeclaration(State& state, const Function& later, bool is_definition);
// May the module declare a variable again? Only what is or was .extern, in the same way.
bool may_redeclare(const Variable& earlier, const Variable& later);
// The alignment that a variable really has, in bytes.
std::uint32_t alignment_of(const Variable& v);

} // namespace kerncast::ptx
