// From the predictions of the distinct launches to one row per kernel.
#pragma once

#include <vector>

#include "input.h"
#include "result.h"

namespace kerncast::app {

// `predictions[i]` belongs to `launches[i]`.
std::vector<KernelRow> collate(const std::vector<LaunchJob>& launches,
                               const std::vector<engine::KernelPrediction>& predictions);

} // namespace kerncast::app
