#include "whole_gpu.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cluster/gpu.h"
#include "configs/sm_room.h"
#include "engine/simulate_plan.h"
#include "kernel_shares.h"
#include "total_interval.h"

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

// States of L2 that are kept, of some 10 MB each.
constexpr std::size_t most_kept_l2s = 16;
// Between the local memories of kernels that run together: more than any has.
constexpr std::uint64_t local_stride = std::uint64_t{1} << 44;

// Of those that other kernels let start, however many the grid has.
std::uint32_t most_ctas_of_sm(const engine::KernelPlan& plan, const configs::Gpu& gpu) {
  return configs::SmRoom(gpu.limits).ctas_that_fit(configs::demand_of(plan.cta, gpu));
}

std::string packed(const TimesTogether::Key& key) {
  std::string text;
  for (const auto& [launch, begin] : key)
    text += fmt::format("{} {} ", launch, begin);
  return text;
}

TimesTogether::Key unpacked(const std::string& text) {
  TimesTogether::Key key;
  std::istringstream in(text);
  for (TimesTogether::Key::value_type one; in >> one.first >> one.second;)
    key.push_back(one);
  return key;
}

std::string note_of(std::span<const timeline::BegunKernel> begun, const std::vector<double>& ends_us,
                    const std::vector<engine::KernelPrediction>& predictions) {
  std::string note = "note: together on their SMs:";
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const engine::KernelPrediction& alone = predictions[begun[i].launch];
    note += fmt::format("{} {} from {:.4g} to {:.4g} us (alone to {:.4g} us)", i == 0 ? "" : ",",
                        alone.kernel, begun[i].begin, ends_us[i], begun[i].begin + alone.time_us);
  }
  return note + '\n';
}

} // namespace

WholeGpu::WholeGpu(const PredictInput& input, const PredictOptions& options, const configs::Gpu& gpu,
                   const std::vector<machine::MachineProgram>& programs, const cluster::Cluster& cluster)
    : input_(input), options_(options), gpu_(gpu), cluster_(cluster), lines_(input, gpu, programs) {}

bool WholeGpu::has_lines(const engine::KernelPlan& plan) const {
  return plan.hit_source == "predicted" && !options_.average_hits;
}

std::optional<WholeGpuPrediction> WholeGpu::predict_one(std::size_t launch, const engine::KernelPlan& plan) {
  const LaunchJob& job = input_.launches[launch];
  engine::KernelPlan assuming = plan;
  pdes::GpuWorkload workload =
      pdes::make_gpu_workload(plan, gpu_, dram_queueing_[launch], assuming.assumptions);
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
  const bool overlaps = may_overlap(input_, gpu_);
  std::vector<WholeGpuPrediction> predictions;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    dram_queueing_.push_back(dram_queueing_of(*plans[i]));
    if (overlaps && input_.launches[i].launches == 1 && l2_before_.size() < most_kept_l2s)
      l2_before_[i] = l2_;
    if (std::optional<WholeGpuPrediction> one = predict_one(i, *plans[i]))
      predictions.push_back(std::move(*one));
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const LaunchJob& job = input_.launches[i];
    if (job.launches == 1 || !has_lines(*plans[i]))
      continue;
    if (const std::optional<WholeGpuPrediction> later = predict_one(i, *plans[i]))
      be_mean(predictions[i].prediction, later->prediction, job.launches);
  }
  return predictions;
}

std::vector<pdes::KernelTimes>
WholeGpu::simulate_together(const TimesTogether::Key& key,
                            const std::vector<const engine::KernelPlan*>& plans) {
  std::vector<pdes::PlannedKernel> kernels;
  for (const auto& [launch, cycle] : key) {
    const engine::KernelPlan& plan = *plans[launch];
    kernels.push_back({&plan, engine::begin_of(cycle), dram_queueing_[launch], nullptr});
    if (has_lines(plan))
      kernels.back().lines = lines_.of(input_.launches[launch], most_ctas_of_sm(plan, gpu_),
                                       (kernels.size() - 1) * local_stride);
  }
  const auto before = l2_before_.find(key.front().first);
  pdes::L2Contents l2 = before == l2_before_.end() ? l2_ : before->second;
  return cluster::simulate_shared_gpu(cluster_, pdes::make_shared_workload(kernels, gpu_), options_.threads,
                                      &l2)
      .kernels;
}

std::shared_ptr<const TimesTogether>
WholeGpu::simulate_overlaps(const std::vector<const engine::KernelPlan*>& plans,
                            const std::vector<engine::KernelPrediction>& predictions, std::string& notes) {
  if (!may_overlap(input_, gpu_))
    return nullptr;
  const auto times = std::make_shared<TimesTogether>(gpu_);
  if (!cluster_.is_root()) {
    for (std::string key = cluster_.broadcast({}); !key.empty(); key = cluster_.broadcast({}))
      simulate_together(unpacked(key), plans);
    return times;
  }
  const auto ends = [&](std::span<const timeline::BegunKernel> begun) {
    const TimesTogether::Key key = times->key_of(begun);
    if (const auto known = times->ends_us(key); known || times->simulations() == most_simulations_together)
      return known;
    cluster_.broadcast(packed(key));
    std::vector<double> ends_us;
    for (const pdes::KernelTimes& one : simulate_together(key, plans))
      ends_us.push_back(gpu_.cycles_to_us(engine::to_cycles(one.end)));
    notes += note_of(begun, ends_us, predictions);
    times->add(key, ends_us);
    return std::optional(ends_us);
  };
  timeline::simulate_timeline(input_.events, times_us(predictions), gpu_, kernel_shares(predictions), 0,
                              kernel_parts(predictions), {ends, most_kernels_together});
  cluster_.broadcast({});
  return times;
}

} // namespace kerncast::app
