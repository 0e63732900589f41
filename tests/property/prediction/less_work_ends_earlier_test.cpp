// SMs that get a CTA fewer compete with the others on equal terms: they end no later. A copy on the TITAN X:
// 24 SMs, each with room for 8 CTAs of 256 threads.
#include <algorithm>

#include <gtest/gtest.h>

#include "one_kernel.h"

namespace kerncast {
namespace {

engine::KernelPlan copy_of(std::uint32_t ctas, const configs::Gpu& gpu) {
  return plan_of(copy_by(ctas, 256), gpu);
}

TEST(SmsWithLessWork, EndNoLater) {
  const configs::Gpu gpu = gpu_of("titan-x");
  for (const std::uint32_t ctas : {24 * 1 + 5, 24 * 3 + 7, 24 * 8 + 12, 24 * 20 + 1, 24 * 50 + 23}) {
    const std::vector<engine::SmResult> results = engine::simulate_groups(copy_of(ctas, gpu));
    ASSERT_EQ(results.size(), 2U) << ctas;
    EXPECT_LE(results[1].cycles, 1.005 * results[0].cycles) << ctas; // warps drift against each other
    EXPECT_LT(results[1].dram_bytes, results[0].dram_bytes) << ctas;
  }
}

// All bytes pass in the time of those that have most, at the bandwidth of all.
TEST(SmsWithLessWork, LeaveTheBandwidthOfAllAsItIs) {
  const configs::Gpu gpu = gpu_of("titan-x");
  for (const std::uint32_t ctas : {24 * 8 + 12, 24 * 50 + 23}) {
    const engine::KernelPlan plan = copy_of(ctas, gpu);
    EXPECT_NEAR(plan.groups[0].workload.config.dram_bytes_per_clock,
                plan.dram_bytes_per_clock * plan.groups[0].of_work, 1e-9);
    EXPECT_GE(plan.groups[1].of_bandwidth, 1 / 24.0) << "as much as any other";
  }
}

TEST(SmsWithLessWork, AreSimulatedWithTheOthersWhereTheyBeginAlike) {
  const configs::Gpu gpu = gpu_of("titan-x");
  EXPECT_FALSE(copy_of(24 * 8 - 1, gpu).groups[1].with_busiest) << "all CTAs begin at once";
  EXPECT_FALSE(copy_of(24 * 8 + 1, gpu).groups[1].with_busiest)
      << "9 and 8 CTAs: one has more of the bandwidth";
  EXPECT_EQ(copy_of(24 * 50 + 12, gpu).groups[1].with_busiest, 0U);
}

// The GPU starts a CTA every 64 cycles, on its SMs in turn: those with 9 CTAs get their first ones before
// those with 8, by three times the 256 cycles in which sub-cores have taken all their turns.
TEST(SmsWithLessWork, AreOnlyLater) {
  constexpr double interval = 64;
  configs::Gpu gpu = gpu_of("titan-x");
  gpu.cta_launch_interval = interval;
  const engine::KernelPlan plan = copy_of(24 * 50 + 12, gpu);
  const engine::SmGroup &most = plan.groups[0], &less = plan.groups[1];
  EXPECT_EQ(most.workload.config.first_cta_launch, interval * 11);
  EXPECT_EQ(less.workload.config.first_cta_launch, interval * 23);
  EXPECT_EQ(most.workload.config.cta_launch_interval, interval * 24);
  EXPECT_EQ(less.workload.config.cta_launch_interval, interval * 24);
  ASSERT_EQ(less.with_busiest, 0U);
  EXPECT_EQ(less.later, interval * 12);

  const std::vector<engine::SmResult> together = engine::simulate_groups(plan);
  const engine::SmResult alone =
      engine::simulate_sm(engine::under_load(less.workload, together[0].dram_queueing));
  EXPECT_EQ(together[1].cycles, alone.cycles);
  EXPECT_EQ(together[1].warp_state_cycles, alone.warp_state_cycles);
  EXPECT_EQ(together[1].dram_bytes, alone.dram_bytes);
}

// By parts of a cycle warps meet in other orders.
TEST(SmsWithLessWork, AreNearlyOnlyLaterByPartsOfACycle) {
  configs::Gpu gpu = gpu_of("titan-x");
  gpu.cta_launch_interval = 1.19;
  const engine::KernelPlan plan = copy_of(24 * 50 + 12, gpu);
  ASSERT_EQ(plan.groups[1].with_busiest, 0U);
  const std::vector<engine::SmResult> together = engine::simulate_groups(plan);
  const engine::SmResult alone =
      engine::simulate_sm(engine::under_load(plan.groups[1].workload, together[0].dram_queueing));
  EXPECT_NEAR(together[1].cycles, alone.cycles, 0.01 * alone.cycles);
}

// However few CTAs the last SMs get, none starts before its turn: the grid's last one is the last to start.
TEST(Launches, GoRoundTheSmsInTurn) {
  configs::Gpu gpu = gpu_of("titan-x");
  gpu.cta_launch_interval = 300; // nothing else takes as long
  for (const std::uint32_t ctas : {7U, 24U, 24U + 5, 24U * 2 + 1, 24U * 3}) {
    const engine::KernelPlan plan = copy_of(ctas, gpu);
    const std::vector<engine::SmResult> results = engine::simulate_groups(plan);
    double last = 0;
    for (const engine::SmResult& sm : results)
      last = std::max(last, sm.cycles);
    const double one = engine::simulate_groups(copy_of(1, gpu)).front().cycles;
    EXPECT_NEAR(last, 300.0 * (ctas - 1) + one, 0.1 * one) << ctas; // which has all of the bandwidth
  }
}

// The second CTA of an SM starts after 600 cycles, and takes as long again.
TEST(Launches, BoundWhatEndsSoonAfterTheLastOfThem) {
  configs::Gpu gpu = gpu_of("titan-x");
  gpu.cta_launch_interval = 25;
  gpu.launch_overhead_us = 0;
  const auto bound_of = [&](std::uint32_t ctas) {
    return engine::simulate_plan(copy_of(ctas, gpu), gpu).bound;
  };
  EXPECT_EQ(bound_of(24 + 1), "latency");
  EXPECT_EQ(bound_of(24 * 20 + 1), "cta_launch");
}

} // namespace
} // namespace kerncast
