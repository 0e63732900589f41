// In two rounds: the SMs with the most work of every plan, and then the others, under the load of DRAM that
// the first have found.
#include "predict/simulate_plans.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kerncast::app {
namespace {

using engine::KernelPlan;
using engine::SmResult;
using engine::SmWorkload;

std::vector<const SmWorkload*> busiest_workloads(const std::vector<const KernelPlan*>& plans) {
  std::vector<const SmWorkload*> workloads;
  for (const KernelPlan* plan : plans)
    workloads.push_back(&plan->groups[engine::busiest_group(*plan)].workload);
  return workloads;
}

// What rank 0 found, on every rank.
std::vector<double> dram_queueing_of(const std::vector<SmResult>& busiest, std::size_t plans,
                                     const cluster::Cluster& cluster) {
  std::vector<double> found(plans);
  for (std::size_t p = 0; p < busiest.size(); ++p)
    found[p] = busiest[p].dram_queueing;
  const auto* const first = reinterpret_cast<const char*>(found.data());
  const std::string bytes = cluster.broadcast(std::string(first, first + plans * sizeof(double)));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(found.data()));
  return found;
}

std::vector<SmWorkload> other_workloads(const std::vector<const KernelPlan*>& plans,
                                        const std::vector<double>& dram_queueing) {
  std::vector<SmWorkload> workloads;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (const std::size_t g : engine::groups_of_their_own(*plans[p]))
      workloads.push_back(engine::under_load(plans[p]->groups[g].workload, dram_queueing[p]));
  return workloads;
}

std::vector<const SmWorkload*> pointers_to(const std::vector<SmWorkload>& workloads) {
  std::vector<const SmWorkload*> pointers;
  for (const SmWorkload& workload : workloads)
    pointers.push_back(&workload);
  return pointers;
}

} // namespace

std::vector<std::vector<SmResult>> simulate_plans(const std::vector<const KernelPlan*>& plans,
                                                  const cluster::Cluster& cluster, std::size_t threads,
                                                  const engine::SimulateSm& simulate) {
  std::vector<SmResult> busiest = cluster.run_workloads(busiest_workloads(plans), threads, simulate);
  const std::vector<SmWorkload> rest =
      other_workloads(plans, dram_queueing_of(busiest, plans.size(), cluster));
  std::vector<SmResult> others = cluster.run_workloads(pointers_to(rest), threads, simulate);
  std::vector<std::vector<SmResult>> results;
  if (!cluster.is_root())
    return results;
  auto other = std::make_move_iterator(others.begin());
  const auto next_of = [&](const KernelPlan& plan) {
    const auto begin = other;
    other += static_cast<std::ptrdiff_t>(engine::groups_of_their_own(plan).size());
    return std::vector<SmResult>(begin, other);
  };
  for (std::size_t p = 0; p < plans.size(); ++p)
    results.push_back(engine::by_group(*plans[p], std::move(busiest[p]), next_of(*plans[p])));
  return results;
}

} // namespace kerncast::app
