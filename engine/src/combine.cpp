// From the results of the simulated SMs to the prediction of a launch.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bound.h"
#include "engine/kernel.h"

namespace kerncast::engine {
namespace {

// Continues a quantity from the last two sampled sizes to the group's own size.
class Continuation {
public:
  explicit Continuation(const SmGroup& group) {
    if (group.sizes.size() < 3)
      return;
    const auto ctas = static_cast<double>(group.ctas);
    const auto last = static_cast<double>(group.sizes[2]);
    factor_ = (ctas - last) / (last - static_cast<double>(group.sizes[1]));
  }
  double operator()(double before_last, double last) const { return last + factor_ * (last - before_last); }

private:
  double factor_ = 0;
};

SmResult result_of(const SmGroup& group, const std::vector<SmResult>& results) {
  SmResult out = results.back();
  if (results.size() == 1)
    return out;
  const Continuation at(group);
  const SmResult& before = results[results.size() - 2];
  out.cycles = at(before.cycles, out.cycles);
  for (std::size_t i = 0; i < warp_states; ++i)
    out.warp_state_cycles[i] = at(before.warp_state_cycles[i], out.warp_state_cycles[i]);
  out.resident_warp_cycles = at(before.resident_warp_cycles, out.resident_warp_cycles);
  for (std::size_t i = 0; i < out.unit_busy_cycles.size(); ++i)
    out.unit_busy_cycles[i] = at(before.unit_busy_cycles[i], out.unit_busy_cycles[i]);
  out.l2_bytes = at(before.l2_bytes, out.l2_bytes);
  out.dram_bytes = at(before.dram_bytes, out.dram_bytes);
  out.issue_cycles = at(before.issue_cycles, out.issue_cycles);
  out.memory_port_cycles = at(before.memory_port_cycles, out.memory_port_cycles);
  return out;
}

// How much the cycles would differ had the earlier slope been continued instead of the later one.
double steadiness_error(const SmGroup& group, const std::vector<SmResult>& results, double cycles) {
  const auto slope = [&](std::size_t from, std::size_t to) {
    return (results[to].cycles - results[from].cycles) /
           static_cast<double>(group.sizes[to] - group.sizes[from]);
  };
  const auto continued = static_cast<double>(group.ctas - group.sizes.back());
  return std::abs(slope(1, 2) - slope(0, 1)) * continued / cycles;
}

void note_continuation(const SmGroup& group, const std::vector<SmResult>& results, double cycles,
                       std::vector<std::string>& assumptions) {
  if (results.size() < 3)
    return;
  assumptions.push_back(fmt::format(
      "steady rate: {} of {} CTAs per SM simulated, the rest continued; an earlier slope gives {:.1f} % "
      "other cycles",
      group.sizes.back(), group.ctas, 100 * steadiness_error(group, results, cycles)));
}

} // namespace

KernelPrediction combine(const KernelPlan& plan, const std::vector<std::vector<SmResult>>& results,
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

  SmResult slowest;
  std::array<double, warp_states> states{};
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const SmGroup& group = plan.groups[g];
    const SmResult sm = result_of(group, results[g]);
    const auto sms = static_cast<double>(group.sm_count);
    for (std::size_t i = 0; i < warp_states; ++i)
      states[i] += sms * sm.warp_state_cycles[i];
    out.l2_bytes += sms * sm.l2_bytes;
    out.dram_bytes += sms * sm.dram_bytes;
    for (const SmResult& simulated : results[g])
      out.simulated_warp_instructions += simulated.warp_instructions;
    if (g == 0)
      note_continuation(group, results[g], sm.cycles, out.assumptions);
    if (sm.cycles > slowest.cycles)
      slowest = sm;
  }
  for (std::size_t i = 0; i < warp_states; ++i)
    out.warp_state_cycles[std::string(name(static_cast<WarpState>(i)))] = states[i];
  out.cycles = slowest.cycles;
  out.time_us = gpu.cycles_to_us(out.cycles);
  out.ipc_per_sm = static_cast<double>(out.warp_instructions) / out.cycles / gpu.sms;
  out.bound = find_bound(slowest, plan, gpu);
  return out;
}

} // namespace kerncast::engine
