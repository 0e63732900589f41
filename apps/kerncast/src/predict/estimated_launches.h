// The times of launches that --sample-launches leaves out, from those that it simulates.
#pragma once

#include <optional>
#include <vector>

#include "engine/kernel.h"
#include "launch_sample.h"
#include "result.h"

namespace kerncast::app {

struct SampledPredictions {
  std::vector<engine::KernelPrediction> of_launch; // of all
  // By family: root mean square of the relative errors of times where each simulated launch in turn is
  // estimated from the others.
  std::vector<double> errors;
};

// `of_simulated[i]` belongs to launch sample.simulated[i]. What is not estimated (occupancy, bound, hit
// rates) is that of the nearest launch that was simulated.
SampledPredictions estimate_others(const LaunchSample& sample, const std::vector<LaunchJob>& launches,
                                   std::vector<engine::KernelPrediction> of_simulated);

// By row of collate: of how many launches the times are simulated. None where all are.
std::vector<std::optional<SampledLaunches>> sampled_launches(const LaunchSample& sample,
                                                             const std::vector<LaunchJob>& launches,
                                                             const std::vector<double>& errors);

} // namespace kerncast::app
