// --occupancy-curve: every closed form at 1, 2, ... warps on an SM, and the simulator at every number of CTAs
// that fits on one.
#pragma once

#include <vector>

#include "models.h"
#include "result.h"

namespace kerncast::app {

// Of each kernel, the launch that `predictions` gives the most time; in the order of the kernels' first
// launches.
std::vector<std::size_t> longest_launches(const PredictInput& input,
                                          const std::vector<engine::KernelPrediction>& predictions);

// [gpu][i] belongs to launches[i] of the input.
Expected<std::vector<std::vector<OccupancyCurves>>>
occupancy_curves(const ModelInput& model, const std::vector<std::size_t>& launches);

} // namespace kerncast::app
