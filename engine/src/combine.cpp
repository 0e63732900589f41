// From the results of the simulated SMs to the prediction of a launch.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bound.h"
#include "engine/kernel.h"
#include "explain.h"

namespace kerncast::engine {
namespace {

// Which part of the launch was stepped through, if not all.
void note_continuation(const Continuation& c, std::vector<std::string>& assumptions) {
  if (c.all_ctas == 0 && c.all_iterations == 0)
    return;
  std::string what = "steady rate:";
  if (c.all_ctas != 0)
    what += fmt::format(" {} of {} CTAs per SM", c.ctas, c.all_ctas);
  if (c.all_iterations != 0)
    what += fmt::format("{} {} of {} iterations of the longest loop", c.all_ctas != 0 ? " and" : "",
                        c.iterations, c.all_iterations);
  assumptions.push_back(fmt::format(
      "{} simulated, the rest continued; the cycles' estimated error is {:.2f} %, the bound {:.2f} %", what,
      100 * c.error, 100 * max_steady_error));
}

// All SMs, in time of the slowest.
DependentLaunch dependent_launch(const std::vector<SmResult>& results, double cycles) {
  double trigger = 0;
  double prologue = 0;
  for (const SmResult& sm : results) {
    trigger = std::max(trigger, sm.trigger_cycles);
    prologue = std::max(prologue, sm.prologue_cycles);
  }
  if (cycles <= 0)
    return {};
  return {trigger / cycles, prologue / cycles};
}

} // namespace

KernelPrediction combine(const KernelPlan& plan, const std::vector<SmResult>& results,
                         const configs::Gpu& gpu) {
  KernelPrediction out;
  out.kernel = plan.kernel;
  out.occupancy = plan.occupancy;
  out.registers = plan.registers;
  out.waves = plan.waves;
  out.warp_instructions = plan.warp_instructions;
  out.hit_rates = plan.hit_rates;
  out.hit_source = plan.hit_source;
  out.launch_overhead_us = gpu.launch_overhead_us;
  out.assumptions = plan.assumptions;

  const auto slowest =
      std::max_element(results.begin(), results.end(),
                       [](const SmResult& a, const SmResult& b) { return a.cycles < b.cycles; });
  StateCycles states{};
  double sms_used = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const SmResult& sm = results[g];
    const auto sms = static_cast<double>(plan.groups[g].sm_count);
    sms_used += plan.groups[g].ctas > 0 ? sms : 0;
    for (std::size_t i = 0; i < warp_states; ++i)
      states[i] += sms * sm.warp_state_cycles[i];
    out.l2_bytes += sms * sm.l2_bytes;
    out.l2_fetched_bytes += sms * sm.l2_fetched_bytes;
    out.dram_bytes += sms * sm.dram_bytes;
    out.simulated_warp_instructions += sm.simulated_warp_instructions;
  }
  note_continuation(slowest->continued, out.assumptions);
  if (slowest->broken_barriers != 0)
    out.assumptions.push_back(fmt::format("barriers: {} times on an SM all warps of a CTA waited; the first "
                                          "one's barrier let its warps go",
                                          slowest->broken_barriers));
  for (std::size_t i = 0; i < warp_states; ++i)
    out.warp_state_cycles[std::string(name(static_cast<WarpState>(i)))] = states[i];
  out.cycles = slowest->cycles;
  out.time_us = gpu.cycles_to_us(out.cycles);
  out.ipc_per_sm = static_cast<double>(out.warp_instructions) / out.cycles / gpu.sms;
  const SmGroup& group = plan.groups[static_cast<std::size_t>(slowest - results.begin())];
  Bound bound = find_bound(*slowest, group, gpu);
  out.bound = bound.name;
  out.use = GpuUse{sms_used / gpu.sms, plan.residency, std::min(1.0, bound.utilisations.front().fraction),
                   use_of_bandwidth(*slowest, group.workload.config)};
  out.dependents = dependent_launch(results, out.cycles);
  if (!plan.op_sources.empty())
    out.explanation = explain(plan, results, *slowest, std::move(bound));
  return out;
}

} // namespace kerncast::engine
