// --fidelity gpu: launches on all SMs and slices of L2 instead of on one SM that stands for them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "engine/kernel.h"
#include "hit_rates.h"
#include "launch_lines.h"
#include "pdes/shared_gpu.h"
#include "times_together.h"

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

  // Then: what happens where launches overlap in the application's timeline, simulated as often as something
  // joins the others. L2 has then what the first of them found when it was predicted, or if it happens
  // several times what all left. Called by all ranks with the same plans; on rank 0 with the predictions, of
  // which it is the result and appends a line per simulation to `notes`. Null: none can overlap.
  std::shared_ptr<const TimesTogether>
  simulate_overlaps(const std::vector<const engine::KernelPlan*>& plans,
                    const std::vector<engine::KernelPrediction>& predictions, std::string& notes);

private:
  std::optional<WholeGpuPrediction> predict_one(std::size_t launch, const engine::KernelPlan& plan);
  std::vector<pdes::KernelTimes> simulate_together(const TimesTogether::Key& key,
                                                   const std::vector<const engine::KernelPlan*>& plans);
  bool has_lines(const engine::KernelPlan& plan) const;

  const PredictInput& input_;
  const PredictOptions& options_;
  const configs::Gpu& gpu_;
  const cluster::Cluster& cluster_;
  LaunchLinesOfGpu lines_;
  pdes::L2Contents l2_;
  std::map<std::size_t, pdes::L2Contents> l2_before_; // by launch that may overlap with others
  std::vector<double> dram_queueing_;                 // by launch
};

} // namespace kerncast::app
