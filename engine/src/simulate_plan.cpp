#include "engine/simulate_plan.h"

#include <algorithm>
#include <cassert>

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

std::vector<SmResult> simulate_groups(const KernelPlan& plan, const SimulateSm& simulate) {
  const std::size_t first = busiest_group(plan);
  const SmResult busiest = simulate(plan.groups[first].workload);
  std::vector<SmResult> results;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    results.push_back(g == first ? busiest
                                 : simulate(under_load(plan.groups[g].workload, busiest.dram_queueing)));
  return results;
}

KernelPrediction simulate_plan(const KernelPlan& plan, const configs::Gpu& gpu, const SimulateSm& simulate) {
  return combine(plan, simulate_groups(plan, simulate), gpu);
}

} // namespace kerncast::engine
