// Utilisation of every resource of the slowest SM; the highest names the bound.
#include "bound.h"

#include <algorithm>
#include <vector>

namespace kerncast::engine {
namespace {

// A resource busy for more of the time than this decides the time.
constexpr double saturated = 0.75;
// The slowest SM has so many times the mean work: the others wait for it.
constexpr double uneven = 1.25;

struct Utilisation {
  double fraction = 0;
  std::string bound;
};

std::vector<Utilisation> utilisations(const SmResult& sm, const KernelPlan& plan, const configs::Gpu& gpu) {
  const SmConfig& config = plan.groups.front().workloads.front().config;
  const auto of_rate = [&](double bytes, double bytes_per_clock) {
    return bytes_per_clock > 0 ? bytes / bytes_per_clock / sm.cycles : 0;
  };
  std::vector<Utilisation> all;
  all.push_back({of_rate(sm.dram_bytes, config.dram_bytes_per_clock), "dram_bandwidth"});
  all.push_back({std::max(of_rate(sm.l2_bytes, config.l2_bytes_per_clock),
                          of_rate(sm.l2_bytes, config.link_bytes_per_clock)),
                 "l2_bandwidth"});
  all.push_back({sm.memory_port_cycles / sm.cycles / config.memory_ports, "l1"});
  all.push_back({sm.issue_cycles * config.issue_interval / sm.cycles / config.sub_cores, "issue"});
  for (std::size_t u = 0; u < gpu.units.size(); ++u) {
    const double copies = gpu.units[u].scope == configs::UnitScope::sub_core ? config.sub_cores : 1;
    all.push_back(
        {sm.unit_busy_cycles[u] / sm.cycles / (copies * gpu.units[u].count), "unit:" + gpu.units[u].name});
  }
  return all;
}

bool barriers_dominate(const SmResult& sm) {
  const auto of = [&](WarpState state) { return sm.warp_state_cycles[static_cast<std::size_t>(state)]; };
  double longest_other = 0;
  for (std::size_t i = 0; i < warp_states; ++i)
    if (static_cast<WarpState>(i) != WarpState::barrier && static_cast<WarpState>(i) != WarpState::issued)
      longest_other = std::max(longest_other, sm.warp_state_cycles[i]);
  return of(WarpState::barrier) > longest_other;
}

double unevenness(const KernelPlan& plan, const configs::Gpu& gpu) {
  double ctas = 0;
  for (const SmGroup& group : plan.groups)
    ctas += static_cast<double>(group.sm_count * group.ctas);
  return static_cast<double>(plan.groups.front().ctas) * gpu.sms / ctas;
}

} // namespace

std::string find_bound(const SmResult& sm, const KernelPlan& plan, const configs::Gpu& gpu) {
  if (gpu.cycles_to_us(sm.cycles) < gpu.launch_overhead_us)
    return "launch";
  const std::vector<Utilisation> all = utilisations(sm, plan, gpu);
  const auto highest = std::max_element(all.begin(), all.end(),
                                        [](const auto& a, const auto& b) { return a.fraction < b.fraction; });
  if (highest->fraction > saturated)
    return highest->bound;
  if (unevenness(plan, gpu) > uneven)
    return "tail";
  return barriers_dominate(sm) ? "barrier" : "latency";
}

} // namespace kerncast::engine
