// Directives about the source program: .file, .loc, .section and .pragma (PTX ISA, sections 11.4.5 and 11.5).
// The DWARF data of sections are checked for form and left out of the tree.
#pragma once

#include "state.h"

namespace kerncast::ptx {

bool parse_file(State& state);
bool parse_loc(State& state);
bool parse_pragma(State& state, Function& function);
bool skip_section(State& state);
// `@@DWARF ...` lines of PTX 1.x, from the first `@`.
bool skip_old_dwarf(State& state);

} // namespace kerncast::ptx
