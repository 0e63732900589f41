// Axes become points.
#include <gtest/gtest.h>

#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

TEST(Points, AGridHasEveryCombination) {
  EXPECT_EQ(points(head + "[axes]\nsms = [2, 4]\nl2.mib = [1, 1.5]\n"), "l2.mib=1, sms=2\n"
                                                                        "l2.mib=1, sms=4\n"
                                                                        "l2.mib=1.5, sms=2\n"
                                                                        "l2.mib=1.5, sms=4\n");
}

TEST(Points, ASweepWithoutAxesIsTheGpuAsItIs) { EXPECT_EQ(points(head), "\n"); }

TEST(Points, RangesHaveTheirEnds) {
  EXPECT_EQ(points(head + "[axes]\nsms = { from = 10, to = 30, steps = 3 }\n"), "sms=10\nsms=20\nsms=30\n");
  EXPECT_EQ(points(head + "[axes]\nclock_mhz = { from = 100, to = 800, steps = 4, scale = \"geometric\" }\n"),
            "clock_mhz=100\nclock_mhz=200\nclock_mhz=400\nclock_mhz=800\n");
}

// 10, 12.5, 15, 17.5, 20 to multiples of 5: 10, 15, 15, 20, 20.
TEST(Points, RoundingLeavesEqualPointsOnce) {
  const auto made = plan(head + "[axes]\nsms = { from = 10, to = 20, steps = 5, round = 5 }\n");
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(made->points.size(), 3U);
  EXPECT_EQ(made->repeated, 2U);
}

TEST(Points, LinkedKeysMoveTogether) {
  EXPECT_EQ(points(head + "[axes]\nsms = [2, 4]\nl2.mib = { with = \"sms\", values = [8, 9] }\n"),
            "l2.mib=8, sms=2\nl2.mib=9, sms=4\n");
}

TEST(Points, ComputedKeysFollowTheOthers) {
  EXPECT_EQ(points(head + "[axes]\nsms = [2, 4]\nl2.mib = { expression = \"1.5 * sms\" }\n"),
            "l2.mib=3, sms=2\nl2.mib=6, sms=4\n");
}

TEST(Points, ConstraintsLeaveOut) {
  const auto made = plan(head + "[axes]\nsms = [1, 2, 3, 4]\n[derived]\narea = \"sms * 10\"\n"
                                "[constraints]\nbudget = \"area <= 20\"\n");
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(made->points.size(), 2U);
  EXPECT_EQ(made->refused, 2U);
}

// The data rate follows the bandwidth: only the resolved GPU knows it.
TEST(Points, ConstraintsSeeKeysThatFollow) {
  const std::string text =
      "[sweep]\nbase = [\"titan-x\"]\napps = [\"a.json\"]\n[axes]\n"
      "dram.bandwidth_gbps = [100, 400]\n[constraints]\nrate = \"dram.data_rate_gtps > 3\"\n";
  EXPECT_EQ(points(text), "dram.bandwidth_gbps=400\n");
}

TEST(Points, OneAtATimeBeginsWithTheGpuAsItIs) {
  EXPECT_EQ(points("[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"one-at-a-time\"\n[axes]\n"
                   "sms = [2, 4]\nl2.mib = [8]\n"),
            "\nl2.mib=8\nsms=2\nsms=4\n");
}

TEST(Points, SamplesAreAsManyAsAskedFor) {
  const std::string text =
      "[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"sobol\"\npoints = 64\n"
      "[axes]\nclock_mhz = { from = 500, to = 2000 }\nl2.latency = { from = 100, to = 300 }\n";
  const auto made = plan(text);
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(made->points.size(), 64U);
}

} // namespace
} // namespace kerncast::sweep::test
