// Every distinct launch on every GPU: slice execution once per launch, annotation once per kernel and GPU.
#pragma once

#include <functional>
#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "input.h"
#include "options.h"

namespace kerncast::app {

// Gets one launch on GPU number `gpu`; called for different launches at once, so it must not share state.
using PerLaunch =
    std::function<Expected<void>(const engine::KernelInput& input, std::size_t launch, std::size_t gpu)>;

// Calls `per_launch` for all launches and GPUs, launches spread over options.threads threads.
// Fails with all errors up to the limit, in the order of the launches.
Expected<void> for_each_launch(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                               const PredictOptions& options, const PerLaunch& per_launch);

} // namespace kerncast::app
