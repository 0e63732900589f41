// --fidelity gpu: launches on all SMs and slices of L2 instead of on one SM that stands for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "engine/kernel.h"
#include "hit_rates.h"
#include "launch_lines.h"
#include "pdes/gpu.h"

namespace kerncast::app {

struct WholeGpuPrediction {
  engine::KernelPrediction prediction;
  std::string note; // how it was simulated: a line
};

// The launches on one GPU, one after the other: L2 keeps its contents.
class WholeGpu {
public:
  // All arguments must outlive the object. `programs`: by kernel.
  WholeGpu(const PredictInput& input, const PredictOptions& options, const configs::Gpu& gpu,
           const std::vector<machine::MachineProgram>& programs, const cluster::Cluster& cluster);

  // Called by all ranks with the plan of each launch, in their order; the predictions on rank 0, nothing on
  // the others. Hits are those of caches that hold lines, where addresses are known and no rates are given. A
  // launch that happens several times runs once as it comes first and once after all others, as hit_rates has
  // it.
  std::vector<WholeGpuPrediction> predict(const std::vector<const engine::KernelPlan*>& plans);

private:
  std::optional<WholeGpuPrediction> predict_one(const LaunchJob& job, const engine::KernelPlan& plan);
  bool has_lines(const engine::KernelPlan& plan) const;

  const PredictInput& input_;
  const PredictOptions& options_;
  const configs::Gpu& gpu_;
  const cluster::Cluster& cluster_;
  LaunchLinesOfGpu lines_;
  pdes::L2Contents l2_;
};

} // namespace kerncast::app
