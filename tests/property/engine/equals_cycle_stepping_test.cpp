// On random workloads the event-driven engine equals the plain cycle-stepping reference, cycle for cycle,
// with every scheduling policy; and every warp-cycle is charged to exactly one state.
#include <numeric>

#include <gtest/gtest.h>

#include "cycle_stepping.h"
#include "engine/simulate_sm.h"
#include "engine/workload_key.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t workloads_per_policy = 250; // ten times slower, for other mistakes
#else
constexpr std::uint32_t workloads_per_policy = 2500;
#endif

class every_policy : public testing::TestWithParam<configs::SchedulerPolicy> {};

TEST_P(every_policy, equals_the_reference_cycle_for_cycle) {
  for (std::uint32_t seed = 0; seed < workloads_per_policy; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(GetParam());
    const double expected = reference::Sm(workload).cycles();
    ASSERT_EQ(simulate_sm(workload).cycles, expected) << "seed " << seed;
  }
}

TEST_P(every_policy, charges_every_warp_cycle_once) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const SmResult result = simulate_sm(RandomWorkload(seed).make(GetParam()));
    const double sum = std::accumulate(result.warp_state_cycles.begin(), result.warp_state_cycles.end(), 0.0);
    ASSERT_NEAR(sum, result.resident_warp_cycles, 1e-9 * sum + 1e-6) << "seed " << seed;
  }
}

TEST_P(every_policy, steps_through_exactly_the_expected_instructions) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(GetParam());
    ASSERT_EQ(simulate_sm(workload).warp_instructions, expected_instructions(workload)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(engine, every_policy,
                         testing::Values(configs::SchedulerPolicy::lrr, configs::SchedulerPolicy::gto,
                                         configs::SchedulerPolicy::oldest,
                                         configs::SchedulerPolicy::two_level));

} // namespace
} // namespace kerncast::engine
