// Initial values of .global and .const variables (PTX ISA, section 5.4.4).
#pragma once

#include <span>

#include "state.h"

namespace kerncast::ptx {

// From behind the `=`. `dimensions` are the variable's, 0 for an open first one, which the value closes.
bool parse_initial_value(State& state, std::span<const std::uint64_t> dimensions, Variable& variable);

} // namespace kerncast::ptx
