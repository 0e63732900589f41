// An application of several ranks on a cluster: its kernels as predicted for one GPU, its ranks as logical
// processes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cluster_prediction.h"
#include "command.h"
#include "configs/cluster.h"
#include "input.h"
#include "options.h"
#include "timeline/kernel_parts.h"

namespace kerncast::app {

// --cluster, if it was given; its GPU becomes that of `gpus` if they name none.
Expected<std::optional<configs::Cluster>> load_cluster(const PredictOptions& options, GpuOptions& gpus,
                                                       const configs::ConfigPath& configs);

// By distinct launch.
struct KernelTimes {
  std::vector<double> times_us;
  std::vector<timeline::KernelShare> shares;
  std::vector<timeline::KernelParts> parts;
};

// Called by all ranks of the job; `kernels` are rank 0's. On rank 0 what happens, or what is wrong
// with the application, each mistake with its place; on the others nothing.
Expected<std::optional<ClusterPrediction>>
predict_ranks(const PredictInput& input, const PredictOptions& options, const configs::Cluster& cluster,
              const configs::Gpu& gpu, KernelTimes kernels, const Session& session);

// What such a prediction assumes beside what its kernels do.
std::vector<std::string> cluster_assumptions(const PredictInput& input, const configs::Cluster& cluster,
                                             const configs::Gpu& gpu);

} // namespace kerncast::app
