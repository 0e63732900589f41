// Paper 003, section 2.3.4 and Fig. 4: when accesses to memory start in the MWP-CWP model and in a pipeline.
// Each warp computes 1 cycle, its access takes 6 cycles, and one may start every 2: MWP = 3.
#include <gtest/gtest.h>

#include "../engine/toy_kernel.h"
#include "analytical/mwp_cwp.h"

namespace kerncast::analytical {
namespace {

TwoSubsystemKernel kernel() {
  TwoSubsystemKernel k;
  k.compute_instructions = k.memory_instructions = 1;
  k.compute_interval = k.compute_latency = 1;
  k.memory_interval = 2;
  k.memory_latency = 6;
  return k;
}

// Three start as soon as their warps have computed, faster than the bandwidth; the fourth waits for the
// first.
TEST(Fig4, mwp_cwp_starts_three_together) {
  EXPECT_EQ(memory_departures(kernel(), 6, Departure::together), (std::vector<double>{1, 2, 3, 7, 8, 9}));
}

TEST(Fig4, the_pipeline_starts_one_every_interval) {
  EXPECT_EQ(memory_departures(kernel(), 6, Departure::spaced), (std::vector<double>{1, 3, 5, 7, 9, 11}));
}

// Eq. 29: 1 + 2 x 2, the start of the third access; the second term of eq. 26 is 1 x 3.
TEST(Fig4, filling_the_pipeline_takes_what_equation_29_says) {
  EXPECT_EQ(fill_time_of_equation_29(kernel(), 3), 5);
  EXPECT_EQ(fill_time_of_equation_29(kernel(), 3), memory_departures(kernel(), 3, Departure::spaced).back());
  EXPECT_EQ(fill_time_of_equation_26(kernel(), 3), 3);
  EXPECT_EQ(fill_time_of_equation_26(kernel(), 3),
            memory_departures(kernel(), 3, Departure::together).back());
}

// The simulator is the pipeline: the last of n accesses starts at 1 + 2 (n - 1) and ends 6 cycles later.
TEST(Fig4, the_simulator_starts_accesses_as_the_pipeline_does) {
  namespace toy = engine::toy;
  const std::vector<toy::Op> ops = {{0, 1, 1, {}}, {1, 2, 6, {0}}};
  const engine::SmConfig sm = toy::one_scheduler(2, 2, configs::SchedulerPolicy::oldest);
  for (std::uint32_t warps = 1; warps <= 8; ++warps)
    EXPECT_EQ(engine::simulate_sm(toy::workload(sm, ops, 1, warps, warps)).cycles,
              memory_departures(kernel(), static_cast<int>(warps), Departure::spaced).back() + 6)
        << warps;
}

} // namespace
} // namespace kerncast::analytical
