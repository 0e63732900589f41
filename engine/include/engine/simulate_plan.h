// The SMs of one launch, simulated.
//
// DRAM is every SM's, and so is its latency under load: it is found on the SMs with the most work, whose
// share of the bandwidth and time are those of the whole launch, and the others meet the same.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/kernel.h"
#include "engine/simulate_sm.h"

namespace kerncast::engine {

// The group whose SMs have the most work. The plan has one at least.
std::size_t busiest_group(const KernelPlan& plan);

// The workload where DRAM takes so many cycles longer than alone, as SmResult::dram_queueing of the busiest
// group says.
SmWorkload under_load(const SmWorkload& workload, double dram_queueing);

// The groups that are simulated by themselves, after the busiest.
std::vector<std::size_t> groups_of_their_own(const KernelPlan& plan);

// In the order of the plan's groups, each as much later as it says. `own`: of its groups_of_their_own.
std::vector<SmResult> by_group(const KernelPlan& plan, SmResult&& busiest, std::vector<SmResult>&& own);

// In the order of the plan's groups; `simulate` is called for the busiest and those of their own.
std::vector<SmResult> simulate_groups(const KernelPlan& plan, const SimulateSm& simulate = simulate_sm);

// All that is to be known of the launch.
KernelPrediction simulate_plan(const KernelPlan& plan, const configs::Gpu& gpu,
                               const SimulateSm& simulate = simulate_sm);

} // namespace kerncast::engine
