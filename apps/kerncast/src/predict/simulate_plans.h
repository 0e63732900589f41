// The SMs of many plans, simulated on all threads and ranks together.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/cluster.h"
#include "engine/simulate_plan.h"

namespace kerncast::app {

// As engine::simulate_groups of each plan, in their order; called by all ranks with equal plans, and nothing
// on ranks other than 0.
std::vector<std::vector<engine::SmResult>> simulate_plans(const std::vector<const engine::KernelPlan*>& plans,
                                                          const cluster::Cluster& cluster,
                                                          std::size_t threads,
                                                          const engine::SimulateSm& simulate);

} // namespace kerncast::app
