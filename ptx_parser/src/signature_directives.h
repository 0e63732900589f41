// Directives between a function's signature and its body (PTX ISA, sections 11.4 and 11.5).
#pragma once

#include "state.h"

namespace kerncast::ptx {

// All of them, `.maxntid 256 .pragma "nounroll";` and so on.
bool parse_signature_directives(State& state, Function& function);
// Those that a prototype may have.
bool parse_prototype_directives(State& state, AbiDirectives& abi);

} // namespace kerncast::ptx
