// Special registers that execution knows (PTX ISA, section 10).
//
// Left out, and so unknown: SM and grid numbers, performance counters.
#pragma once

#include <optional>
#include <string_view>

#include "warp/program.h"

namespace kerncast::warp {

std::optional<Special> find_special(std::string_view name);

// Clocks and timers, which functional execution lets count a warp's steps.
struct ClockRegister {
  std::uint32_t bytes = 4;
  bool is_upper = false; // the upper half of a register of 64 bits
};
std::optional<ClockRegister> find_clock(std::string_view name);

} // namespace kerncast::warp
