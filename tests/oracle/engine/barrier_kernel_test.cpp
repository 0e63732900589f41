// 003, sec. 6.2: a sequence of N dependent instructions, each followed by a barrier, over group sizes. On one
// pipeline of interval 1 the W warps of a group issue their instructions in W cycles; the first one's barrier
// follows when its result is there, and the others' one cycle apart; the last arrival and the barrier's
// latency end the iteration: max(W, latency) + W - 1 + barrier latency cycles, exactly, with round robin.
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

double simulated(std::uint32_t warps, std::uint32_t groups, double latency, double barrier_latency,
                 std::uint64_t iterations) {
  const std::vector<toy::Op> iteration = {{0, 1, latency, {}}, {1, 1, barrier_latency, {0}, 0, true}};
  return simulate_sm(toy::workload(toy::one_scheduler(1, 2, configs::SchedulerPolicy::lrr), iteration,
                                   iterations, groups, groups, true, warps))
      .cycles;
}

TEST(barrier_kernel, one_group_is_exact_on_paper) {
  for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U})
    for (const double latency : {1.0, 6.0, 18.0})
      for (const double barrier : {1.0, 17.0, 40.0})
        EXPECT_DOUBLE_EQ(simulated(warps, 1, latency, barrier, 100),
                         100 * (std::max<double>(warps, latency) + warps - 1 + barrier))
            << warps << " warps, latency " << latency << ", barrier " << barrier;
}

// All latencies 1, as on the unit GPU: 2 W cycles an iteration.
TEST(barrier_kernel, on_the_unit_gpu_takes_two_cycles_per_warp) {
  for (const std::uint32_t warps : {1U, 2U, 7U, 32U})
    EXPECT_DOUBLE_EQ(simulated(warps, 1, 1, 1, 50), 50 * 2 * warps);
}

// 32 warps in groups of W. Round robin issues all their instructions, 32 cycles, before the first barrier
// (latency 18 is over by then); a group's last arrival comes W - 1 cycles later. An iteration takes 32 + W -
// 1 + barrier latency cycles, or the issue of 64 instructions if that is more; beginning and end less than a
// round.
TEST(barrier_kernel, small_groups_hide_what_large_ones_wait_for) {
  for (const std::uint32_t warps : {2U, 4U, 8U, 16U, 32U})
    for (const double barrier : {10.0, 30.0, 40.0})
      EXPECT_NEAR(simulated(warps, 32 / warps, 18, barrier, 500),
                  500 * std::max(64.0, 32 + warps - 1 + barrier), 32)
          << warps << " warps per group, barrier " << barrier;
}

} // namespace
} // namespace kerncast::engine
