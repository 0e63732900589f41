// --fidelity gpu: a launch on all SMs and slices of L2 instead of on one SM that stands for them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cluster/cluster.h"
#include "engine/kernel.h"

namespace kerncast::app {

struct WholeGpuPrediction {
  engine::KernelPrediction prediction;
  std::string note; // how it was simulated: a line
};

// Called by all ranks; the prediction on rank 0, nothing on the others.
std::optional<WholeGpuPrediction> predict_whole_gpu(const engine::KernelPlan& plan, const configs::Gpu& gpu,
                                                    std::size_t threads, const cluster::Cluster& cluster);

} // namespace kerncast::app
