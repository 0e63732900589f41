// Directives about the source program: .file, .loc, .section and .pragma (PTX ISA, sections 11.4.5 and 11.5).
// The DWARF data of sections are checked for form and kept as written.
#pragma once

#include "state.h"

namespace kerncast::ptx {

bool parse_file(State& state);
bool parse_loc(State& state);
// In a body, or outside functions.
bool parse_pragma(State& state);
// Between a function's signature and its body.
bool parse_signature_pragma(State& state, Function& function);
bool parse_section(State& state);
// `@@DWARF ...` lines of PTX 1.x, from the first `@`.
bool parse_old_dwarf(State& state);

} // namespace kerncast::ptx
