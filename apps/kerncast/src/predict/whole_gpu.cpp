#include "whole_gpu.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/gpu.h"
#include "engine/simulate_plan.h"

namespace kerncast::app {
namespace {

// How much longer DRAM takes under the launch's mean load: it depends on all SMs and is found with the one
// that stands for them.
double dram_queueing_of(const engine::KernelPlan& plan) {
  const engine::SmWorkload& workload = plan.groups[engine::busiest_group(plan)].workload;
  return workload.config.dram_load.limit > 0 ? engine::simulate_sm(workload).dram_queueing : 0;
}

std::string note_of(const std::string& kernel, double cycles, const pdes::GpuSummary& summary) {
  return fmt::format(
      "note: {}: {} windows, {} events, {:.1f} % of the windows of SMs and slices idle; SMs are done "
      "after {:.1f} % of the time on average; the busiest slice of L2 has {:.2f} times the mean\n",
      kernel, summary.windows, summary.events, 100 * summary.idle_share,
      100 * summary.mean_sm_cycles / cycles, summary.busiest_slice);
}

} // namespace

std::optional<WholeGpuPrediction> predict_whole_gpu(const engine::KernelPlan& plan, const configs::Gpu& gpu,
                                                    std::size_t threads, const cluster::Cluster& cluster) {
  engine::KernelPlan assuming = plan;
  const pdes::GpuWorkload workload =
      pdes::make_gpu_workload(plan, gpu, dram_queueing_of(plan), assuming.assumptions);
  const pdes::GpuResult result = cluster::simulate_gpu(cluster, workload, threads);
  if (!cluster.is_root())
    return std::nullopt;
  return WholeGpuPrediction{pdes::combine_gpu(assuming, result, gpu),
                            note_of(plan.kernel, result.cycles, pdes::summary_of(result))};
}

} // namespace kerncast::app
