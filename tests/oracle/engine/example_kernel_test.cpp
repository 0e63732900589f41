// 003's example kernel (Table 2) with the graph C1; C2; M1(C1,C2); C3(M1); C4(C3); M2(C4): computations of
// interval 1 and latency 4, memory operations of interval 2 and latency 6.
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

const std::vector<toy::Op> example = {{0, 1, 4, {}},  {0, 1, 4, {}},  {1, 2, 6, {0, 1}},
                                      {0, 1, 4, {2}}, {0, 1, 4, {3}}, {1, 2, 6, {4}}};

double cycles(std::uint32_t resident, std::uint64_t warps, configs::SchedulerPolicy policy) {
  return simulate_sm(toy::workload(toy::one_scheduler(2, 2, policy), example, 1, resident, warps)).cycles;
}

// Warps per cycle in the steady state: the slope between two runs, so that filling and draining drop out.
double throughput(std::uint32_t resident, configs::SchedulerPolicy policy) {
  const double more = cycles(resident, 4000 * resident, policy);
  const double fewer = cycles(resident, 2000 * resident, policy);
  return 2000 * resident / (more - fewer);
}

// C1 at 0, C2 at 1, M1 at 5, C3 at 11, C4 at 15, M2 at 19, done at 25.
TEST(example_kernel, one_warp_alone_takes_25_cycles) {
  EXPECT_EQ(cycles(1, 1, configs::SchedulerPolicy::oldest), 25);
  EXPECT_EQ(cycles(1, 1, configs::SchedulerPolicy::lrr), 25);
}

TEST(example_kernel, never_above_volkovs_bound) {
  using configs::SchedulerPolicy;
  for (const SchedulerPolicy policy :
       {SchedulerPolicy::lrr, SchedulerPolicy::gto, SchedulerPolicy::oldest, SchedulerPolicy::two_level})
    for (std::uint32_t resident = 1; resident <= 12; ++resident)
      EXPECT_LE(throughput(resident, policy), std::min(resident / 25.0, 0.25) + 1e-9) << resident << " warps";
}

TEST(example_kernel, oldest_reaches_24_hundredths_at_7_warps_and_a_quarter_from_8_on) {
  EXPECT_NEAR(throughput(7, configs::SchedulerPolicy::oldest), 0.24, 0.01);
  for (std::uint32_t resident = 8; resident <= 12; ++resident)
    EXPECT_NEAR(throughput(resident, configs::SchedulerPolicy::oldest), 0.25, 1e-3) << resident << " warps";
}

} // namespace
} // namespace kerncast::engine
