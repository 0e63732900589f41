// On random workloads the event-driven engine equals the plain cycle-stepping reference, cycle for cycle,
// with every scheduling policy; and every warp-cycle is charged to exactly one state, by one operation.
#include <map>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "engine/simulate_sm.h"
#include "engine/sm_trace.h"
#include "engine/workload_key.h"
#include "random_workload.h"
#include "reference/cycle_stepping.h"

namespace kerncast::engine {
namespace {

#if defined(KERNCAST_ADDRESS_SANITIZER) || defined(KERNCAST_THREAD_SANITIZER)
constexpr std::uint32_t workloads_per_policy = 250; // ten times slower, for other mistakes
#else
constexpr std::uint32_t workloads_per_policy = 2500;
#endif

class EveryPolicy : public testing::TestWithParam<configs::SchedulerPolicy> {};

TEST_P(EveryPolicy, equals_the_reference_cycle_for_cycle) {
  for (std::uint32_t seed = 0; seed < workloads_per_policy; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(GetParam());
    const double expected = reference::cycles_of(workload);
    ASSERT_EQ(simulate_sm(workload).cycles, expected) << "seed " << seed;
  }
}

TEST_P(EveryPolicy, charges_every_warp_cycle_once) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const SmResult result = simulate_sm(RandomWorkload(seed).make(GetParam()));
    const double sum = std::accumulate(result.warp_state_cycles.begin(), result.warp_state_cycles.end(), 0.0);
    ASSERT_EQ(sum, result.resident_warp_cycles) << "seed " << seed;
  }
}

// Sums of multiples of 2^-15 below 2^38 are exact in a double, in any order.
TEST_P(EveryPolicy, charges_of_operations_and_bins_of_time_add_up_exactly) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SmWorkload workload = RandomWorkload(seed).make(GetParam());
    const SmResult plain = simulate_sm(workload);
    ASSERT_TRUE(plain.ops.empty());
    workload.detail = true;
    const SmResult result = simulate_sm(workload);
    ASSERT_EQ(result.cycles, plain.cycles);
    StateCycles by_state{};
    std::uint64_t issued = 0;
    for (const OpResult& op : result.ops) {
      issued += op.issued;
      for (std::size_t s = 0; s < warp_states; ++s)
        by_state[s] += op.state_cycles[s];
    }
    ASSERT_EQ(issued, result.warp_instructions) << "seed " << seed;
    ASSERT_EQ(by_state, plain.warp_state_cycles) << "seed " << seed;
    const std::vector<double>& bins = result.residency.warp_cycles;
    ASSERT_EQ(std::accumulate(bins.begin(), bins.end(), 0.0), plain.resident_warp_cycles) << "seed " << seed;
  }
}

// A trace says when what the states and units sum up happens: slices of a track do not overlap, and their
// lengths add up to the sums.
TEST_P(EveryPolicy, slices_of_a_trace_add_up_to_the_states_and_busy_cycles) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(GetParam());
    const SmResult result = simulate_sm(workload);
    const SmTrace trace = trace_sm(workload, SIZE_MAX);
    StateCycles by_state{};
    std::map<std::uint32_t, double> warp_end;
    for (const WarpSlice& slice : trace.warps) {
      by_state[static_cast<std::size_t>(slice.state)] += slice.end - slice.begin;
      ASSERT_GE(slice.begin, warp_end[slice.warp]) << "seed " << seed;
      warp_end[slice.warp] = slice.end;
    }
    ASSERT_EQ(by_state, result.warp_state_cycles) << "seed " << seed;
    std::vector<double> busy(workload.config.units.size());
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double> unit_end;
    for (const UnitSlice& slice : trace.units) {
      busy[slice.unit] += slice.end - slice.begin;
      double& end = unit_end[{slice.unit, slice.sub_core, slice.pipeline}];
      ASSERT_GE(slice.begin, end) << "seed " << seed;
      end = slice.end;
    }
    ASSERT_EQ(busy, result.unit_busy_cycles) << "seed " << seed;
    ASSERT_FALSE(trace.cut);
  }
}

TEST_P(EveryPolicy, a_trace_ends_soon_after_its_limit) {
  const SmTrace trace = trace_sm(RandomWorkload(3).make(GetParam()), 20);
  EXPECT_TRUE(trace.cut);
  EXPECT_LT(trace.warps.size() + trace.units.size(), 20 + 400); // at most one cycle beyond
}

TEST_P(EveryPolicy, steps_through_exactly_the_expected_instructions) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(GetParam());
    ASSERT_EQ(simulate_sm(workload).warp_instructions, expected_instructions(workload)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(engine, EveryPolicy,
                         testing::Values(configs::SchedulerPolicy::lrr, configs::SchedulerPolicy::gto,
                                         configs::SchedulerPolicy::oldest,
                                         configs::SchedulerPolicy::two_level, configs::SchedulerPolicy::gty));

} // namespace
} // namespace kerncast::engine
