// From a planned launch to the processes of a GPU, and from what they did to a prediction.
#include "pdes/gpu.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "gpu_processes.h"

namespace kerncast::pdes {
namespace {

using engine::to_time;

std::uint64_t ctas_of(const engine::SmWorkload& sm) {
  return std::accumulate(sm.ctas.begin(), sm.ctas.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const engine::CtaRun& run) { return sum + run.count; });
}

// The least latency of anything that goes to L2 and is waited for; a very long one if nothing does.
double least_miss_latency(const engine::SmProgram& program) {
  double least = 1e6;
  for (const memory_model::Request& request : program.requests) {
    if (request.l2_bytes > 0 && request.latency > 0)
      least = std::min(least, request.latency);
    for (const memory_model::ServedBy& level : request.levels)
      if (level.l2_bytes > 0)
        least = std::min(least, level.latency);
  }
  return least;
}

Time whole_cycles(double cycles) {
  return engine::begin_of(std::max<std::int64_t>(1, static_cast<std::int64_t>(cycles)));
}

// A third of what a hit in L2 takes longer than one in L1, if it is not known: to the slice, in it, and back.
double one_way_cycles(const configs::Gpu& gpu, std::vector<std::string>& assumptions) {
  if (gpu.interconnect_latency > 0)
    return gpu.interconnect_latency;
  const double cycles = std::max(1.0, (gpu.l2_latency() - gpu.l1.latency) / 3);
  assumptions.push_back(
      fmt::format("interconnect.latency of {} is not known: {:.0f} cycles, a third of what L2 "
                  "takes longer than L1",
                  gpu.name, cycles));
  return cycles;
}

// A slice to 64 bits of the memory bus, if their number is not known: so it is on V100, A100 and H100.
std::uint32_t slices_of(const configs::Gpu& gpu, std::vector<std::string>& assumptions) {
  constexpr std::uint32_t bits_of_slice = 64;
  constexpr std::uint32_t usual = 32;
  if (gpu.l2_layout.slices > 0)
    return gpu.l2_layout.slices;
  const std::uint32_t slices =
      gpu.dram.bus_width_bits >= bits_of_slice ? gpu.dram.bus_width_bits / bits_of_slice : usual;
  assumptions.push_back(fmt::format("l2.slices of {} is not known: {}", gpu.name, slices));
  return slices;
}

// Bytes per clock that the SMs of the plan have together.
double dram_of_all_sms(const engine::SmGroup& group) {
  return group.workload.config.dram_bytes_per_clock / group.of_work;
}

// `dram_bytes_per_clock`: of all channels together.
GpuSurroundings surroundings_of(const configs::Gpu& gpu, const engine::SmWorkload& sm,
                                double dram_bytes_per_clock, std::vector<std::string>& assumptions) {
  GpuSurroundings out;
  out.sms = gpu.sms;
  out.slices = slices_of(gpu, assumptions);
  out.partitions = std::max(1U, gpu.l2_layout.partitions);
  out.one_way = whole_cycles(std::min(one_way_cycles(gpu, assumptions), least_miss_latency(*sm.program) / 2));
  out.lookahead = out.one_way;
  out.cta_launch_latency = to_time(gpu.cta_launch_latency);
  out.cta_launch_interval = to_time(gpu.cta_launch_interval);
  if (ctas_of(sm) > std::uint64_t{sm.resident_ctas} * out.sms)
    out.lookahead = std::min(out.lookahead, whole_cycles(gpu.cta_launch_latency / 2));
  if (out.partitions > 1 && gpu.l2_layout.far_latency > gpu.l2.latency) {
    out.far_extra = to_time((gpu.l2_layout.far_latency - gpu.l2.latency) * gpu.cycles_per_l2_cycle());
    assumptions.emplace_back("L2: SMs and slices are spread over the partitions in turn");
  }
  out.l2_bytes_per_clock = gpu.l2_bytes_per_clock() / out.slices;
  out.l2_requests = engine::l2_requests_of(gpu, 1.0 / out.slices);
  out.dram_bytes_per_clock = dram_bytes_per_clock / out.slices;
  return out;
}

// What the groups of SMs of the plan have in all, evenly mixed again: in turn a CTA of each SM.
std::vector<engine::CtaRun> ctas_of_grid(const engine::KernelPlan& plan) {
  std::vector<engine::CtaRun> out;
  const auto add = [&](std::uint32_t kind, std::uint64_t count) {
    if (!out.empty() && out.back().kind == kind)
      out.back().count += count;
    else if (count > 0)
      out.push_back({kind, count});
  };
  std::vector<std::size_t> run(plan.groups.size(), 0);
  std::vector<std::uint64_t> run_done(plan.groups.size(), 0);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      const std::vector<engine::CtaRun>& ctas = plan.groups[g].workload.ctas;
      if (run[g] == ctas.size())
        continue;
      any = true;
      add(ctas[run[g]].kind, plan.groups[g].sm_count);
      if (++run_done[g] == ctas[run[g]].count) {
        ++run[g];
        run_done[g] = 0;
      }
    }
  }
  return out;
}

// All processes of this rank.
struct Gpu {
  Gpu(const GpuWorkload& workload, std::uint64_t placed, const Execution<GpuMessage>& execution,
      L2Contents* l2)
      : scheduler(workload, placed) {
    const GpuSurroundings& gpu = workload.surroundings;
    processes.resize(cta_scheduler(gpu) + 1);
    sms.resize(gpu.sms);
    const auto is_here = [&](ProcessId id) { return execution.placement.rank_of(id) == execution.rank; };
    for (std::uint32_t i = 0; i < gpu.sms; ++i) {
      if (!is_here(i))
        continue;
      sms[i] = std::make_unique<SmProcess>(workload, i);
      processes[i] = sms[i].get();
    }
    for (std::uint32_t i = 0; i < gpu.slices; ++i) {
      slices.emplace_back(workload, i, l2 == nullptr ? nullptr : &(*l2)[i]);
      processes[first_slice(gpu) + i] = &slices.back();
    }
    processes[cta_scheduler(gpu)] = &scheduler;
  }

  std::vector<std::unique_ptr<SmProcess>> sms; // null: on other ranks
  std::deque<SliceProcess> slices;
  CtaScheduler scheduler;
  std::vector<Process<GpuMessage>*> processes;
};

GpuResult result_of(const Gpu& gpu) {
  GpuResult result;
  for (const auto& sm : gpu.sms) {
    result.sms.push_back(sm ? sm->result() : engine::SmResult{});
    result.ctas.push_back(sm ? sm->ctas() : 0);
    if (sm)
      result.caches.add(sm->counts());
    result.cycles = std::max(result.cycles, result.sms.back().cycles);
  }
  for (const SliceProcess& slice : gpu.slices) {
    result.slices.push_back(slice.load());
    result.caches.add(slice.counts());
    result.cycles = std::max(result.cycles, engine::to_cycles(slice.drained_at()));
  }
  return result;
}

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

L2Contents empty_l2(const configs::Gpu& gpu, std::uint32_t slices) {
  return {slices,
          caches::SectoredCache(gpu.l2.bytes / gpu.l2.line_bytes / slices, gpu.l2.ways, gpu.l2.replacement)};
}

} // namespace

GpuWorkload make_gpu_workload(const engine::KernelPlan& plan, const configs::Gpu& gpu, double dram_queueing,
                              std::vector<std::string>& assumptions) {
  GpuWorkload out;
  out.sm = plan.groups.front().workload;
  out.sm.config.dram_queueing = dram_queueing;
  out.sm.ctas = plan.order ? *plan.order : ctas_of_grid(plan);
  out.surroundings = surroundings_of(gpu, out.sm, dram_of_all_sms(plan.groups.front()), assumptions);
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
      std::min(ctas_of(workload.sm), std::uint64_t{workload.sm.resident_ctas} * surroundings.sms);
  L2Contents own;
  if (l2 == nullptr)
    l2 = &own;
  if (workload.lines && l2->empty())
    *l2 = empty_l2(workload.lines->gpu(), surroundings.slices);
  Gpu gpu(workload, placed, execution, workload.lines ? l2 : nullptr);
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
  GpuResult result = result_of(gpu);
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
                          static_cast<double>(result.ctas[i]) / ctas};
    group.workload.config.l2_bytes_per_clock = gpu.l2_bytes_per_clock() / gpu.sms;
    group.workload.config.l2_requests = engine::l2_requests_of(gpu, 1.0 / gpu.sms);
    group.workload.config.dram_bytes_per_clock = dram_of_all_sms(plan.groups.front()) / gpu.sms;
    by_sm.groups.push_back(std::move(group));
  }
  engine::KernelPrediction out = engine::combine(by_sm, with_dram_of_slices(result), gpu);
  if (result.caches.by_lines > 0) {
    out.hit_rates = result.caches.rates();
    out.hit_source = "simulated";
    note_caches(result.caches, out.assumptions);
  }
  const double of_sms = out.cycles / result.cycles; // the rest: slices of L2 still write
  out.ipc_per_sm *= of_sms;
  for (double* const part : {&out.dependents->trigger, &out.dependents->prologue})
    *part = *part < 1 ? *part * of_sms : 1;
  out.cycles = result.cycles;
  out.time_us = gpu.cycles_to_us(out.cycles);
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
