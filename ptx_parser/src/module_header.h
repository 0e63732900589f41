// What a module begins with (PTX ISA, sections 11.1.1 to 11.1.3).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// .version, .target and .address_size, from the first of them on.
bool parse_module_header(State& state);
// A directive of the header that stands behind it: always an error.
bool misplaced_header(State& state);
bool is_header_directive(const Token& token);

} // namespace kerncast::ptx
