// What each distinct launch of an application takes of a GPU, for kernels that run together, and its parts,
// for those that start before the one before them has ended.
#pragma once

#include <vector>

#include "engine/kernel.h"
#include "timeline/kernel_parts.h"
#include "timeline/sharing.h"

namespace kerncast::app {

// By distinct launch; the whole GPU where the model does not say.
std::vector<timeline::KernelShare> kernel_shares(const std::vector<engine::KernelPrediction>& of_launch);
// By distinct launch; where the model does not say, nothing of it is early.
std::vector<timeline::KernelParts> kernel_parts(const std::vector<engine::KernelPrediction>& of_launch);

} // namespace kerncast::app
