// Machine programs of every kernel on every GPU.
#pragma once

#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "hit_rates.h"
#include "input.h"
#include "options.h"

namespace kerncast::app {

// With what was assumed about them. Fails with every error of all of them.
Expected<Programs> annotate_all(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                                const PredictOptions& options);

// What the kernels may be instead, where divisions take their slow paths or more is spilled.
using OtherPrograms = std::vector<std::vector<std::vector<engine::OtherProgram>>>; // [gpu][kernel]
OtherPrograms annotate_others(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                              const PredictOptions& options, const Programs& programs);

} // namespace kerncast::app
