// Quantities of a launch that counters measure and that the simulator predicts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "launch_counts.h"
#include "mapping.h"
#include "statistics/errors.h"

namespace kerncast::app {

struct PredictedLaunch {
  engine::KernelPrediction prediction;
  LaunchCounts counts;
  std::uint32_t registers_estimated = 0;
};

struct Quantity {
  std::string_view name;
  statistics::Scale scale = statistics::Scale::relative;
  std::optional<double> (*measured)(const Facts& row) = nullptr; // none: the row does not say
  double (*predicted)(const PredictedLaunch& launch) = nullptr;
  bool has_interval = false; // in proportion to that of the cycles
};

// The time first, then along the chain from registers to cycles.
std::span<const Quantity> quantities();

} // namespace kerncast::app
