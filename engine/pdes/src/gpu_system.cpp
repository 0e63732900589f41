#include "gpu_system.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::pdes {

using engine::to_time;

namespace {

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

L2Contents empty_l2(const configs::Gpu& gpu, std::uint32_t slices) {
  return {slices, caches::SectoredCache(gpu.l2.bytes / gpu.l2.line_bytes / slices, gpu.l2.ways,
                                        gpu.l2.replacement, gpu.l2.dirty_fraction)};
}

} // namespace

Time whole_cycles(double cycles) {
  return engine::begin_of(std::max<std::int64_t>(1, static_cast<std::int64_t>(cycles)));
}

double dram_of_all_sms(const engine::SmGroup& group) {
  return group.workload.config.dram_bytes_per_clock / group.of_bandwidth;
}

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
  if (ctas_of(sm.ctas) > std::uint64_t{sm.resident_ctas} * out.sms)
    out.lookahead = std::min(out.lookahead, whole_cycles(gpu.cta_launch_latency / 2));
  if (out.partitions > 1 && gpu.l2_layout.far_latency > gpu.l2.latency) {
    out.far_extra = to_time((gpu.l2_layout.far_latency - gpu.l2.latency) * gpu.cycles_per_l2_cycle());
    assumptions.emplace_back("L2: SMs and slices are spread over the partitions in turn");
  }
  out.l2_bytes_per_clock = gpu.l2_bytes_per_clock() / out.slices;
  out.l2_requests = engine::l2_requests_of(gpu, 1.0 / out.slices);
  out.atomic_interval = to_time(gpu.atomic_interval_cycles());
  out.dram_bytes_per_clock = dram_bytes_per_clock / out.slices;
  out.mshrs = gpu.dram.latency > gpu.l2.latency ? gpu.l2.mshrs : 0;
  out.miss_time = to_time(gpu.dram.latency - gpu.l2.latency);
  return out;
}

double dram_of_all_channels(const engine::KernelPlan& plan, const configs::Gpu& gpu) {
  return gpu.l2.mshrs > 0 ? plan.dram_bytes_per_clock : dram_of_all_sms(plan.groups.front());
}

std::vector<engine::CtaRun> ctas_of_plan(const engine::KernelPlan& plan) {
  if (!plan.order)
    return ctas_of_grid(plan);
  std::vector<engine::CtaRun> ctas;
  for (const tasklist::ClassRun& run : plan.order->runs())
    ctas.push_back({run.cta_class, run.count});
  return ctas;
}

GpuSystem::GpuSystem(const GpuSurroundings& gpu, const engine::SmWorkload& sm, const Kernels& kernels,
                     Process<GpuMessage>& scheduler, const Execution<GpuMessage>& execution, L2Contents& l2)
    : sms(gpu.sms), processes(cta_scheduler(gpu) + 1) {
  const bool has_lines = have_lines(kernels);
  if (has_lines && l2.empty())
    l2 = empty_l2(gpu_of_lines(kernels), gpu.slices);
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    if (execution.placement.rank_of(i) != execution.rank)
      continue;
    sms[i] = std::make_unique<SmProcess>(gpu, sm, kernels, i);
    processes[i] = sms[i].get();
  }
  for (std::uint32_t i = 0; i < gpu.slices; ++i) {
    slices.emplace_back(gpu, sm, kernels, i, has_lines ? &l2[i] : nullptr);
    processes[first_slice(gpu) + i] = &slices.back();
  }
  processes[cta_scheduler(gpu)] = &scheduler;
}

GpuResult GpuSystem::result() const {
  GpuResult result;
  for (const auto& sm : sms) {
    result.sms.push_back(sm ? sm->result() : engine::SmResult{});
    result.ctas.push_back(sm ? sm->ctas() : 0);
    if (sm)
      result.caches.add(sm->counts());
    result.cycles = std::max(result.cycles, result.sms.back().cycles);
  }
  for (const SliceProcess& slice : slices) {
    result.slices.push_back(slice.load());
    result.caches.add(slice.counts());
    result.cycles = std::max(result.cycles, engine::to_cycles(slice.drained_at()));
  }
  return result;
}

} // namespace kerncast::pdes
