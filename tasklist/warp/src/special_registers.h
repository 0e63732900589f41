// Special registers that execution knows (PTX ISA, section 10).
//
// Left out, and so unknown: clocks, timers, SM and grid numbers, performance counters, clusters.
#pragma once

#include <optional>
#include <string_view>

#include "warp/program.h"

namespace kerncast::warp {

std::optional<Special> find_special(std::string_view name);

} // namespace kerncast::warp
