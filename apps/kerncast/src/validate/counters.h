// Quantities of a launch that counters measure and that the simulator predicts.
#pragma once

#include <cstdint>
#include <limits>
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
  bool registers_given = false; // the prediction is with other ones
};

enum class Role : std::uint8_t {
  timing, // has an interval, in proportion to that of the cycles
  chain,  // what cycles come from, in the order in which they do
  detail  // of what the chain has in sum
};

// A target of what is shown beside the others but never blamed.
inline constexpr double no_target = std::numeric_limits<double>::infinity();

struct Quantity {
  std::string_view name;
  statistics::Scale scale = statistics::Scale::relative;
  std::optional<double> (*measured)(const Facts& row) = nullptr; // none: the row does not say
  double (*predicted)(const PredictedLaunch& launch) = nullptr;
  Role role = Role::detail;
  double target = no_target; // per cent or points beyond which prediction and measurement part
};

// The time first, then along the chain from registers to cycles.
std::span<const Quantity> quantities();

// What the others explain: the time, or the cycles if the mapping says so.
const Quantity& main_quantity(const Mapping& mapping);

} // namespace kerncast::app
