// Utilisation of every resource of the slowest SM; the highest names the bound.
#include "bound.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/l2_rates.h"

namespace kerncast::engine {
namespace {

// A resource busy for more of the time than this decides the time.
constexpr double saturated = 0.75;
// The slowest SM has so many times the mean work: the others wait for it.
constexpr double uneven = 1.25;

double l2_busy_cycles(const SmResult& sm, const SmConfig& config) {
  return l2_busy_cycles({sm.l2_data_bytes, sm.l2_request_bytes}, config.l2_bytes_per_clock,
                        config.l2_requests);
}

// Else loads of one line of L2 take them.
bool takes_turns_by_atomics(const SmProgram& program) {
  return std::ranges::any_of(program.requests, [](const memory_model::Request& request) {
    return request.writes && request.hottest_turns > 0;
  });
}

// When the GPU has started the last CTA of the SM.
double last_launch(const SmGroup& group, const configs::Gpu& gpu) {
  const SmConfig& config = group.workload.config;
  return config.first_cta_launch + static_cast<double>(group.ctas - 1) * config.cta_launch_interval +
         gpu.cta_launch_interval;
}

std::vector<Utilisation> utilisations(const SmResult& sm, const SmGroup& group, const configs::Gpu& gpu) {
  const SmConfig& config = group.workload.config;
  const auto of_rate = [&](double bytes, double bytes_per_clock) {
    return bytes_per_clock > 0 ? bytes / bytes_per_clock / sm.cycles : 0;
  };
  std::vector<Utilisation> all;
  all.push_back({"dram_bandwidth", of_rate(sm.dram_bytes, config.dram_bytes_per_clock)});
  all.push_back({"l2_bandwidth", std::max(l2_busy_cycles(sm, config) / sm.cycles,
                                          of_rate(sm.l2_bytes, config.link_bytes_per_clock))});
  if (sm.hottest_turns > 0)
    all.push_back({takes_turns_by_atomics(*group.workload.program) ? "atomics" : "l2_hottest_line",
                   of_rate(sm.hottest_turns, config.hottest_turns_per_clock)});
  all.push_back({"l1", sm.memory_port_cycles / sm.cycles / config.memory_ports});
  all.push_back({"cta_launch", last_launch(group, gpu) / sm.cycles});
  all.push_back({"issue", sm.issue_cycles * config.issue_interval / sm.cycles / config.sub_cores});
  for (std::size_t u = 0; u < gpu.units.size(); ++u) {
    const double copies = gpu.units[u].scope == configs::UnitScope::sub_core ? config.sub_cores : 1;
    all.push_back(
        {"unit:" + gpu.units[u].name, sm.unit_busy_cycles[u] / sm.cycles / (copies * gpu.units[u].count)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Utilisation& a, const Utilisation& b) { return a.fraction > b.fraction; });
  return all;
}

// What the warps wait for longest, the issue itself left out.
WarpState longest_wait(const SmResult& sm) {
  StateCycles waits = sm.warp_state_cycles;
  waits[static_cast<std::size_t>(WarpState::issued)] = 0;
  return static_cast<WarpState>(std::max_element(waits.begin(), waits.end()) - waits.begin());
}

struct Reason {
  std::string name;
  std::string because;
};

Reason reason(const SmResult& sm, const Utilisation& highest, const SmGroup& group, const configs::Gpu& gpu) {
  const double time_us = gpu.cycles_to_us(sm.cycles);
  if (time_us < gpu.launch_overhead_us)
    return {"launch", fmt::format("{:.3g} us of work against {:.3g} us of launch overhead", time_us,
                                  gpu.launch_overhead_us)};
  const std::string busy =
      fmt::format("{} is busy {:.1f} % of the time", highest.resource, 100 * highest.fraction);
  if (highest.fraction > saturated)
    return {highest.resource, busy};
  if (const double work = group.of_work * gpu.sms; work > uneven)
    return {"tail", fmt::format("the busiest SMs have {:.2f} times the mean work", work)};
  const WarpState wait = longest_wait(sm);
  const double share = sm.warp_state_cycles[static_cast<std::size_t>(wait)] / sm.resident_warp_cycles;
  return {wait == WarpState::barrier ? "barrier" : "latency",
          fmt::format("nothing is saturated ({}); warps wait longest for {}, {:.1f} % of their cycles", busy,
                      name(wait), 100 * share)};
}

} // namespace

double use_of_bandwidth(const SmResult& sm, const SmConfig& config) {
  const double dram = config.dram_bytes_per_clock > 0 ? sm.dram_bytes / config.dram_bytes_per_clock : 0;
  return std::min(1.0, std::max(dram, l2_busy_cycles(sm, config)) / sm.cycles);
}

Bound find_bound(const SmResult& sm, const SmGroup& group, const configs::Gpu& gpu) {
  Bound bound;
  bound.utilisations = utilisations(sm, group, gpu);
  Reason found = reason(sm, bound.utilisations.front(), group, gpu);
  bound.name = std::move(found.name);
  bound.because = std::move(found.because);
  return bound;
}

} // namespace kerncast::engine
