// From planned launches to a GPU that they share.
#include "pdes/shared_gpu.h"

#include <algorithm>
#include <cassert>

#include "gpu_system.h"
#include "shared_scheduler.h"

namespace kerncast::pdes {
namespace {

SharingKernel sharing_kernel(const PlannedKernel& planned, const engine::MergedKernel& first,
                             const GpuSurroundings& surroundings, const configs::Gpu& gpu) {
  const engine::KernelPlan& plan = *planned.plan;
  SharingKernel out;
  out.ready = planned.ready;
  out.ctas = ctas_of_plan(plan);
  for (engine::CtaRun& run : out.ctas)
    run.kind += first.first_kind;
  out.demand = configs::demand_of(plan.cta, gpu);
  out.parts = {first, dram_of_all_channels(plan, gpu) / surroundings.slices, planned.lines};
  return out;
}

engine::MergedWorkload merged(std::span<const PlannedKernel> kernels) {
  std::vector<engine::SmWorkload> workloads;
  for (const PlannedKernel& kernel : kernels) {
    workloads.push_back(kernel.plan->groups.front().workload);
    workloads.back().config.dram_queueing = kernel.dram_queueing;
  }
  std::vector<const engine::SmWorkload*> all;
  for (const engine::SmWorkload& workload : workloads)
    all.push_back(&workload);
  return engine::merge(all);
}

Kernels kernels_of(const SharedGpuWorkload& workload) {
  Kernels kernels;
  for (const SharingKernel& kernel : workload.kernels)
    kernels.push_back(kernel.parts);
  return kernels;
}

} // namespace

SharedGpuWorkload make_shared_workload(std::span<const PlannedKernel> kernels, const configs::Gpu& gpu) {
  SharedGpuWorkload out;
  engine::MergedWorkload together = merged(kernels);
  out.sm = std::move(together.sm);
  out.sm.resident_ctas =
      engine::max_warps_per_sub_core * out.sm.config.sub_cores / engine::warps_per_slot(out.sm);
  std::vector<std::string> of_each; // launch, which say so
  out.surroundings = surroundings_of(gpu, out.sm, 0, of_each);
  out.surroundings.lookahead = std::min(out.surroundings.lookahead, whole_cycles(gpu.cta_launch_latency / 2));
  out.limits = gpu.limits;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    out.kernels.push_back(sharing_kernel(kernels[i], together.kernels[i], out.surroundings, gpu));
  return out;
}

SharedGpuResult simulate_shared_gpu(const SharedGpuWorkload& workload, const Execution<GpuMessage>& execution,
                                    L2Contents* l2) {
  assert(std::is_sorted(workload.kernels.begin(), workload.kernels.end(),
                        [](const SharingKernel& a, const SharingKernel& b) { return a.ready < b.ready; }) &&
         "kernels come as they become ready");
  const GpuSurroundings& surroundings = workload.surroundings;
  const Kernels kernels = kernels_of(workload);
  SharedCtaScheduler scheduler(workload);
  L2Contents own;
  GpuSystem gpu(surroundings, workload.sm, kernels, scheduler, execution, l2 == nullptr ? own : *l2);
  Simulation<GpuMessage> simulation(gpu.processes, surroundings.lookahead, execution, engine::one_cycle);
  for (const SharingKernel& kernel : workload.kernels)
    simulation.post(cta_scheduler(surroundings), kernel.ready, {.kind = GpuMessage::Kind::kernel_ready});
  const Statistics statistics = simulation.run();
  SharedGpuResult out{scheduler.times(), gpu.result()};
  out.all.statistics = statistics;
  for (std::uint32_t k = 0; k < kernels.size(); ++k)
    for (const SliceProcess& slice : gpu.slices)
      out.kernels[k].end = std::max(out.kernels[k].end, slice.drained_at(k));
  return out;
}

} // namespace kerncast::pdes
