// The least of several bounds, and its name.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

inline WarpRate unbounded() {
  return {.warps_per_cycle = std::numeric_limits<double>::infinity(), .bound = "latency"};
}

inline void lower(WarpRate& rate, double warps_per_cycle, std::string bound) {
  if (warps_per_cycle < rate.warps_per_cycle)
    rate = {.warps_per_cycle = warps_per_cycle, .bound = std::move(bound)};
}

} // namespace kerncast::analytical
