#include "whole_gpu.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cluster/gpu.h"
#include "parallel/run.h"

namespace kerncast::app {
namespace {

// How much longer DRAM takes under the launch's mean load: it depends on all SMs and is found with the one
// that stands for them.
double dram_queueing_of(const engine::KernelPlan& plan, std::size_t threads) {
  std::vector<const engine::SmWorkload*> workloads;
  for (const engine::SmGroup& group : plan.groups)
    if (group.workload.config.dram_load.limit > 0)
      workloads.push_back(&group.workload);
  double queueing = 0;
  for (const engine::SmResult& result : parallel::run_workloads(workloads, threads))
    queueing = std::max(queueing, result.dram_queueing);
  return queueing;
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
      pdes::make_gpu_workload(plan, gpu, dram_queueing_of(plan, threads), assuming.assumptions);
  const pdes::GpuResult result = cluster::simulate_gpu(cluster, workload, threads);
  if (!cluster.is_root())
    return std::nullopt;
  return WholeGpuPrediction{pdes::combine_gpu(assuming, result, gpu),
                            note_of(plan.kernel, result.cycles, pdes::summary_of(result))};
}

} // namespace kerncast::app
