// Claims: the least of the bounds counts, and its name is told.
#include <gtest/gtest.h>

#include "analytical/roofline.h"
#include "analytical/volkov.h"

namespace kerncast::analytical {
namespace {

// One warp keeps fp32 busy for 10 cycles and DRAM for 40; 30 instructions at 2 per cycle are 15; 400 alone.
KernelProfile streaming() {
  return {.subsystems = {{.name = "fp32", .instructions = 20, .cycles_per_warp = 10},
                         {.name = "dram_bandwidth", .instructions = 3, .cycles_per_warp = 40}},
          .instructions = 30,
          .issue_limit = 2,
          .critical_path_latency = 400};
}

TEST(Roofline, is_bound_by_the_busiest_subsystem) {
  const WarpRate rate = roofline(streaming());
  EXPECT_EQ(rate.warps_per_cycle, 1.0 / 40);
  EXPECT_EQ(rate.bound, "dram_bandwidth");
}

// 400 / 40 = 10 warps fill DRAM.
TEST(Volkov, is_bound_by_latency_below_the_knee) {
  EXPECT_EQ(volkov(streaming(), 9).warps_per_cycle, 9.0 / 400);
  EXPECT_EQ(volkov(streaming(), 9).bound, "latency");
  EXPECT_EQ(volkov(streaming(), 10).bound, "dram_bandwidth");
}

// Without DRAM: 2 instructions per cycle are 2/30 warps, fewer than 1/10.
TEST(Volkov, is_bound_by_issue_where_that_is_least) {
  KernelProfile computing = streaming();
  computing.subsystems.pop_back();
  EXPECT_EQ(volkov(computing, 64).warps_per_cycle, 2.0 / 30);
  EXPECT_EQ(volkov(computing, 64).bound, "issue");
}

TEST(Volkov, has_no_issue_bound_without_a_limit) {
  KernelProfile computing = streaming();
  computing.subsystems.pop_back();
  computing.issue_limit = 0;
  EXPECT_EQ(volkov(computing, 64).bound, "fp32");
}

} // namespace
} // namespace kerncast::analytical
