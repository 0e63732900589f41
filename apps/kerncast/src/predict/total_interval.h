// How sure the time of a whole application is.
#pragma once

#include <optional>
#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "input.h"
#include "result.h"

namespace kerncast::app {

using OfLaunch = std::vector<engine::KernelPrediction>;

std::vector<double> times_us(const OfLaunch& of_launch);

// At engine::interval_level. All kernels lie at the same end of their intervals, as what makes one of them
// wrong mostly makes the others so; launch overhead and copies err by themselves. None where a launch has no
// interval.
std::optional<TimeInterval> interval_of_total(const PredictInput& input, const configs::Gpu& gpu,
                                              const OfLaunch& of_launch, double total_us);

} // namespace kerncast::app
