// Kernels and device functions: signature, performance directives, body (PTX ISA, sections 11.2 to 11.4).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// From `.entry` or `.func` to behind the body's `}` or the declaration's `;`.
bool parse_function(State& state, Linkage linkage);
// `(results) _ (parameters) .noreturn` of a .callprototype; from behind that word.
bool parse_prototype(State& state, Prototype& out);
// The statements of a body, from its `{` to behind its `}`. False if the body has no end.
bool parse_body(State& state);

} // namespace kerncast::ptx
