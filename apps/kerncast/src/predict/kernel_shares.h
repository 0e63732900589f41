// What each distinct launch of an application takes of a GPU, for kernels that run together.
#pragma once

#include <vector>

#include "engine/kernel.h"
#include "timeline/sharing.h"

namespace kerncast::app {

// By distinct launch; the whole GPU where the model does not say.
std::vector<timeline::KernelShare> kernel_shares(const std::vector<engine::KernelPrediction>& of_launch);

} // namespace kerncast::app
