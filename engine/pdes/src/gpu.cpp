// From a planned launch to the processes of a GPU, and from what they did to a prediction.
#include "pdes/gpu.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "gpu_system.h"

namespace kerncast::pdes {
namespace {

void note_caches(const CacheCounts& counts, std::vector<std::string>& assumptions) {
  assumptions.emplace_back(
      "L2: of as many neighbouring lines as there are slices each has one, in an order that "
      "a hash of ours turns");
  if (counts.by_rates == 0)
    return;
  const auto all = static_cast<double>(counts.by_lines + counts.by_rates);
  assumptions.push_back(
      fmt::format("caches hold the lines of {:.3f} % of the accesses; the others (unknown addresses, "
                  "bulk copies, what was not traced of long warps) hit by predicted rates",
                  100 * static_cast<double>(counts.by_lines) / all));
}

// Slices know what DRAM moved, and SMs what they asked L2 for: each has DRAM's bytes in proportion.
std::vector<engine::SmResult> with_dram_of_slices(const GpuResult& result) {
  std::vector<engine::SmResult> sms = result.sms;
  if (result.caches.by_lines == 0)
    return sms;
  double l2_bytes = 0;
  double dram_bytes = 0;
  for (const engine::SmResult& sm : sms)
    l2_bytes += sm.l2_bytes;
  for (const SliceLoad& slice : result.slices)
    dram_bytes += slice.dram_bytes;
  for (engine::SmResult& sm : sms)
    sm.dram_bytes = l2_bytes > 0 ? dram_bytes * sm.l2_bytes / l2_bytes : 0;
  return sms;
}

// Where slices write on after the last SM has ended, that is what the launch waits for.
void end_with_slices(double cycles, std::vector<engine::SmResult>& sms) {
  engine::SmResult& last =
      *std::max_element(sms.begin(), sms.end(), [](const engine::SmResult& a, const engine::SmResult& b) {
        return a.cycles < b.cycles;
      });
  for (double* const at : {&last.trigger_cycles, &last.prologue_cycles})
    *at = *at < last.cycles ? *at : cycles; // as long as the launch where there is none
  last.cycles = cycles;
}

} // namespace

GpuWorkload make_gpu_workload(const engine::KernelPlan& plan, const configs::Gpu& gpu, double dram_queueing,
                              std::vector<std::string>& assumptions) {
  GpuWorkload out;
  out.sm = plan.groups.front().workload;
  out.sm.config.dram_queueing = dram_queueing;
  out.sm.ctas = ctas_of_plan(plan);
  out.sm.other_ctas.clear();
  out.surroundings = surroundings_of(gpu, out.sm, dram_of_all_channels(plan, gpu), assumptions);
  if (!plan.order && out.sm.kinds.size() > 1)
    assumptions.emplace_back("CTAs of several classes are dispatched evenly mixed");
  return out;
}

void CacheCounts::add(const CacheCounts& other) {
  by_lines += other.by_lines;
  by_rates += other.by_rates;
  l1_requested += other.l1_requested;
  l1_hit += other.l1_hit;
  l2_loaded += other.l2_loaded;
  l2_hit += other.l2_hit;
  stored += other.stored;
  written_back += other.written_back;
}

memory_model::HitRates CacheCounts::rates() const {
  const auto share = [](std::uint64_t part, std::uint64_t of) {
    return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : 0;
  };
  return {.l1 = share(l1_hit, l1_requested),
          .l2 = share(l2_hit + stored - std::min(stored, written_back), l2_loaded + stored)};
}

GpuResult simulate_gpu(const GpuWorkload& workload, const Execution<GpuMessage>& execution, L2Contents* l2) {
  const GpuSurroundings& surroundings = workload.surroundings;
  const std::uint64_t placed =
      std::min(ctas_of(workload.sm.ctas), std::uint64_t{workload.sm.resident_ctas} * surroundings.sms);
  const Kernels kernels{{.dram_bytes_per_clock = surroundings.dram_bytes_per_clock, .lines = workload.lines}};
  CtaScheduler scheduler(workload, placed);
  L2Contents own;
  GpuSystem gpu(surroundings, workload.sm, kernels, scheduler, execution, l2 == nullptr ? own : *l2);
  Simulation<GpuMessage> simulation(gpu.processes, surroundings.lookahead, execution, engine::one_cycle);
  std::uint64_t number = 0;
  for (const engine::CtaRun& run : workload.sm.ctas)
    for (std::uint64_t i = 0; i < run.count && number < placed; ++i, ++number)
      simulation.post(static_cast<ProcessId>(number % surroundings.sms), 0,
                      {.kind = GpuMessage::Kind::cta,
                       .number = static_cast<std::uint32_t>(number / surroundings.sms),
                       .detail = run.kind,
                       .time = surroundings.cta_launch_latency +
                               static_cast<Time>(number) * surroundings.cta_launch_interval,
                       .place = number});
  const Statistics statistics = simulation.run();
  GpuResult result = gpu.result();
  result.statistics = statistics;
  return result;
}

engine::KernelPrediction combine_gpu(const engine::KernelPlan& plan, const GpuResult& result,
                                     const configs::Gpu& gpu) {
  engine::KernelPlan by_sm = plan;
  by_sm.groups.clear();
  const double ctas = std::accumulate(result.ctas.begin(), result.ctas.end(), 0.0);
  for (std::size_t i = 0; i < result.sms.size(); ++i) {
    engine::SmGroup group{1, result.ctas[i], plan.groups.front().workload,
                          static_cast<double>(result.ctas[i]) / ctas, 1.0 / gpu.sms};
    group.workload.config.l2_bytes_per_clock = gpu.l2_bytes_per_clock() / gpu.sms;
    group.workload.config.l2_requests = engine::l2_requests_of(gpu, 1.0 / gpu.sms);
    group.workload.config.hottest_turns_per_clock = engine::hottest_turns_per_clock(gpu, 1.0 / gpu.sms);
    group.workload.config.dram_bytes_per_clock = dram_of_all_sms(plan.groups.front()) / gpu.sms;
    by_sm.groups.push_back(std::move(group));
  }
  std::vector<engine::SmResult> sms = with_dram_of_slices(result);
  end_with_slices(result.cycles, sms);
  engine::KernelPrediction out = engine::combine(by_sm, sms, gpu);
  if (result.caches.by_lines > 0) {
    out.hit_rates = result.caches.rates();
    out.hit_source = "simulated";
    note_caches(result.caches, out.assumptions);
  }
  return out;
}

GpuSummary summary_of(const GpuResult& result) {
  GpuSummary out;
  out.windows = result.statistics.windows;
  out.events = result.statistics.events;
  const auto windows = static_cast<double>(result.statistics.busy_windows + result.statistics.idle_windows);
  out.idle_share = static_cast<double>(result.statistics.idle_windows) / windows;
  for (const engine::SmResult& sm : result.sms)
    out.mean_sm_cycles += sm.cycles / static_cast<double>(result.sms.size());
  double all = 0;
  double most = 0;
  for (const SliceLoad& slice : result.slices) {
    all += slice.l2_bytes;
    most = std::max(most, slice.l2_bytes);
  }
  out.busiest_slice = all > 0 ? most * static_cast<double>(result.slices.size()) / all : 0;
  return out;
}

} // namespace kerncast::pdes
