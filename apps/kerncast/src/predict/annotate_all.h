// Machine programs of every kernel on every GPU.
#pragma once

#include <vector>

#include "configs/gpu.h"
#include "hit_rates.h"
#include "input.h"
#include "options.h"

namespace kerncast::app {

// With what was assumed about them. Fails with every error of all of them.
Expected<Programs> annotate_all(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                                const PredictOptions& options);

} // namespace kerncast::app
