#include "engine/simulate_plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

namespace kerncast::engine {

std::size_t busiest_group(const KernelPlan& plan) {
  assert(!plan.groups.empty() && "a launch has CTAs");
  const auto busiest =
      std::max_element(plan.groups.begin(), plan.groups.end(),
                       [](const SmGroup& a, const SmGroup& b) { return a.of_work < b.of_work; });
  return static_cast<std::size_t>(busiest - plan.groups.begin());
}

SmWorkload under_load(const SmWorkload& workload, double dram_queueing) {
  SmWorkload loaded = workload;
  loaded.config.dram_queueing = dram_queueing;
  loaded.config.dram_load = {};
  return loaded;
}

std::vector<std::size_t> groups_of_their_own(const KernelPlan& plan) {
  const std::size_t busiest = busiest_group(plan);
  std::vector<std::size_t> own;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    if (g != busiest && !plan.groups[g].with_busiest)
      own.push_back(g);
  return own;
}

namespace {

// Fractions of a bin are taken to be evenly filled.
void delay(Residency& residency, double cycles) {
  if (residency.warp_cycles.empty())
    return;
  const double bins = cycles / residency.bin_cycles, whole = std::floor(bins), part = bins - whole;
  const auto first = static_cast<std::size_t>(whole);
  std::vector<double> later(first + residency.warp_cycles.size() + (part > 0 ? 1 : 0), 0);
  for (std::size_t i = 0; i < residency.warp_cycles.size(); ++i) {
    later[first + i] += (1 - part) * residency.warp_cycles[i];
    if (part > 0)
      later[first + i + 1] += part * residency.warp_cycles[i];
  }
  residency.warp_cycles = std::move(later);
}

// All of it happens so many cycles later.
void delay(SmResult& result, double cycles) {
  result.cycles += cycles;
  result.trigger_cycles += cycles;
  result.prologue_cycles += cycles;
  delay(result.residency, cycles);
}

} // namespace

std::vector<SmResult> by_group(const KernelPlan& plan, SmResult&& busiest, std::vector<SmResult>&& own) {
  std::vector<SmResult> results(plan.groups.size());
  auto next = own.begin();
  for (const std::size_t g : groups_of_their_own(plan))
    results[g] = std::move(*next++);
  for (std::size_t g = 0; g < results.size(); ++g)
    if (plan.groups[g].with_busiest) {
      results[g] = std::move(busiest.others.at(*plan.groups[g].with_busiest));
      delay(results[g], plan.groups[g].later);
    }
  busiest.others.clear();
  results[busiest_group(plan)] = std::move(busiest);
  return results;
}

std::vector<SmResult> simulate_groups(const KernelPlan& plan, const SimulateSm& simulate) {
  SmResult busiest = simulate(plan.groups[busiest_group(plan)].workload);
  std::vector<SmResult> own;
  for (const std::size_t g : groups_of_their_own(plan))
    own.push_back(simulate(under_load(plan.groups[g].workload, busiest.dram_queueing)));
  return by_group(plan, std::move(busiest), std::move(own));
}

KernelPrediction simulate_plan(const KernelPlan& plan, const configs::Gpu& gpu, const SimulateSm& simulate) {
  return combine(plan, simulate_groups(plan, simulate), gpu);
}

} // namespace kerncast::engine
