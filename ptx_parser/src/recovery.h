// Going on behind a wrong statement of a function's body, so that one mistake is one error.
#pragma once

#include "state.h"

namespace kerncast::ptx {

// A directive that no body has: with it the next function begins.
bool begins_next_function(const Token& token);
// Is the token at hand the first of its line and of a statement?
bool begins_statement_line(State& state);
// From inside a wrong statement that began with `first` to the next one: behind the next `;`, in front of the
// `}` that ends the scope, or at a line that begins a statement.
void skip_statement(State& state, const Token& first);
// Notes the names between `first` and the token at hand: what uses them is not wrong for that.
void note_misdeclared(State& state, const Token& first);
// The same for a statement of a body, if it is a declaration.
void note_misdeclared_in_body(State& state, const Token& first);

} // namespace kerncast::ptx
