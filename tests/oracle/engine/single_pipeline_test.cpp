// 000, eq. 1: W warps of N dependent instructions on one pipeline take
//   N latency + (W - 1) interval          if W interval <= latency
//   latency + (N W - 1) interval          else
// exactly with round robin and integer interval and latency, never less with any policy.
#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

double pipeline_time(double warps, double instructions, double interval, double latency) {
  return warps * interval <= latency ? instructions * latency + (warps - 1) * interval
                                     : latency + (instructions * warps - 1) * interval;
}

double simulated(std::uint32_t warps, std::uint64_t instructions, double interval, double latency,
                 configs::SchedulerPolicy policy) {
  const SmConfig config = toy::one_scheduler(1, 1, policy);
  const std::vector<toy::Op> one = {{0, interval, latency, {}}};
  return simulate_sm(toy::workload(config, one, instructions, warps, warps, true)).cycles;
}

TEST(single_pipeline, round_robin_equals_equation_1) {
  for (std::uint32_t warps : {1U, 2U, 3U, 5U, 8U, 16U, 32U, 64U})
    for (std::uint64_t instructions : {1U, 2U, 7U, 100U})
      for (double interval : {1.0, 2.0, 3.0, 8.0})
        for (double latency : {8.0, 9.0, 18.0, 32.0, 400.0})
          EXPECT_EQ(simulated(warps, instructions, interval, latency, configs::SchedulerPolicy::lrr),
                    pipeline_time(warps, static_cast<double>(instructions), interval, latency))
              << warps << " warps, " << instructions << " instructions, interval " << interval << ", latency "
              << latency;
}

TEST(single_pipeline, no_policy_beats_equation_1) {
  using configs::SchedulerPolicy;
  for (const SchedulerPolicy policy :
       {SchedulerPolicy::gto, SchedulerPolicy::oldest, SchedulerPolicy::two_level, SchedulerPolicy::gty})
    for (std::uint32_t warps : {1U, 3U, 8U, 20U, 32U})
      for (double interval : {0.5, 1.0, 2.0, 7.47})
        for (double latency : {8.0, 12.5, 400.0})
          EXPECT_GE(simulated(warps, 50, interval, latency, policy) + 1e-6,
                    pipeline_time(warps, 50, interval, latency));
}

// 1,000 instructions of 4 warps at an interval of 7.47 cycles: 4,000 x 7.47, not 4,000 x 8.
TEST(single_pipeline, fractional_intervals_keep_their_value) {
  EXPECT_NEAR(simulated(4, 1000, 7.47, 7.47, configs::SchedulerPolicy::lrr), 4000 * 7.47,
              4000 / 65536.0); // half a step of time each
}

// A dependent chain at latency 12.5: 1,000 x 12.5, not 1,000 x 13.
TEST(single_pipeline, fractional_latencies_keep_their_value) {
  EXPECT_NEAR(simulated(1, 1000, 1, 12.5, configs::SchedulerPolicy::lrr), 12500, 1e-6);
}

} // namespace
} // namespace kerncast::engine
