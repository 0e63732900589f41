#include "whole_gpu.h"

#include <algorithm>
#include <utility>

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

std::string note_of(const std::string& kernel, const pdes::GpuResult& result) {
  const pdes::GpuSummary summary = pdes::summary_of(result);
  return fmt::format(
      "note: {}: {} windows, {} events, {:.1f} % of the windows of SMs and slices idle; SMs are done "
      "after {:.1f} % of the time on average; the busiest slice of L2 has {:.2f} times the mean; hits by "
      "{}\n",
      kernel, summary.windows, summary.events, 100 * summary.idle_share,
      100 * summary.mean_sm_cycles / result.cycles, summary.busiest_slice,
      result.caches.by_lines > 0 ? "the lines that caches hold" : "rates");
}

// The rates are no longer those that hit.
void drop_notes_of_rates(std::vector<std::string>& assumptions) {
  std::erase_if(assumptions, [](const std::string& text) { return text.starts_with("hit rates: "); });
}

// Of a launch that happens `count` times.
void be_mean(engine::KernelPrediction& first, const engine::KernelPrediction& later, std::uint64_t count) {
  const double part = 1 / static_cast<double>(count);
  const auto mean = [part](double a, double b) { return part * a + (1 - part) * b; };
  engine::KernelPrediction out = later;
  for (double engine::KernelPrediction::*const number :
       {&engine::KernelPrediction::time_us, &engine::KernelPrediction::cycles,
        &engine::KernelPrediction::ipc_per_sm, &engine::KernelPrediction::dram_bytes,
        &engine::KernelPrediction::l2_bytes})
    out.*number = mean(first.*number, later.*number);
  for (double memory_model::HitRates::*const rate :
       {&memory_model::HitRates::l1, &memory_model::HitRates::l2})
    out.hit_rates.*rate = mean(first.hit_rates.*rate, later.hit_rates.*rate);
  for (auto& [state, cycles] : out.warp_state_cycles)
    cycles = mean(first.warp_state_cycles.at(state), cycles);
  first = std::move(out);
}

} // namespace

WholeGpu::WholeGpu(const PredictInput& input, const PredictOptions& options, const configs::Gpu& gpu,
                   const std::vector<machine::MachineProgram>& programs, const cluster::Cluster& cluster)
    : input_(input), options_(options), gpu_(gpu), cluster_(cluster), lines_(input, gpu, programs) {}

bool WholeGpu::has_lines(const engine::KernelPlan& plan) const {
  return plan.hit_source == "predicted" && !options_.average_hits;
}

std::optional<WholeGpuPrediction> WholeGpu::predict_one(const LaunchJob& job,
                                                        const engine::KernelPlan& plan) {
  engine::KernelPlan assuming = plan;
  pdes::GpuWorkload workload =
      pdes::make_gpu_workload(plan, gpu_, dram_queueing_of(plan), assuming.assumptions);
  if (has_lines(plan))
    workload.lines = lines_.of(job, plan.occupancy.ctas_per_sm);
  const pdes::GpuResult result = cluster::simulate_gpu(cluster_, workload, options_.threads, &l2_);
  if (!cluster_.is_root())
    return std::nullopt;
  if (workload.lines)
    drop_notes_of_rates(assuming.assumptions);
  return WholeGpuPrediction{pdes::combine_gpu(assuming, result, gpu_), note_of(plan.kernel, result)};
}

std::vector<WholeGpuPrediction> WholeGpu::predict(const std::vector<const engine::KernelPlan*>& plans) {
  std::vector<WholeGpuPrediction> predictions;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (std::optional<WholeGpuPrediction> one = predict_one(input_.launches[i], *plans[i]))
      predictions.push_back(std::move(*one));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const LaunchJob& job = input_.launches[i];
    if (job.launches == 1 || !has_lines(*plans[i]))
      continue;
    if (const std::optional<WholeGpuPrediction> later = predict_one(job, *plans[i]))
      be_mean(predictions[i].prediction, later->prediction, job.launches);
  }
  return predictions;
}

} // namespace kerncast::app
