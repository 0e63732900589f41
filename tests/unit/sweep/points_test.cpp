// Axes become points.
#include <fmt/format.h>
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

const std::string titan_x = "[sweep]\nbase = [\"titan-x\"]\napps = [\"a.json\"]\n";

// The expression's bandwidths are 100 and 400.
TEST(Points, ConstraintsSeeKeysThatFollowExpressions) {
  EXPECT_EQ(points(titan_x + "[axes]\nsms = [10, 40]\ndram.bandwidth_gbps = { expression = \"10 * sms\" }\n"
                             "[constraints]\nrate = \"dram.data_rate_gtps > 3\"\n"),
            "dram.bandwidth_gbps=400, sms=40\n");
}

// 384 lines of DRAM: 100 GB/s are 100 / 48 billion transfers a second.
TEST(Points, ExpressionsSeeKeysThatFollow) {
  EXPECT_EQ(points(titan_x + "[axes]\ndram.bandwidth_gbps = [48, 96]\n"
                             "l2.latency = { expression = \"100 * dram.data_rate_gtps\" }\n"),
            "dram.bandwidth_gbps=48, l2.latency=100\ndram.bandwidth_gbps=96, l2.latency=200\n");
  EXPECT_NE(errors(titan_x + "[axes]\nsms = [10, 40]\ndram.bandwidth_gbps = { expression = \"10 * sms\" }\n"
                             "l2.latency = { expression = \"100 * dram.data_rate_gtps\" }\n")
                .find("'dram.data_rate_gtps' changes with an expression"),
            std::string::npos);
}

// Every value uses the one before twice: 2^40 uses of the key.
TEST(Points, DerivedValuesAreComputedOnce) {
  std::string text = head + "[axes]\nsms = [1, 2]\n[derived]\nd0 = \"sms / 1024\"\n";
  for (int i = 1; i <= 40; ++i)
    text += fmt::format("d{} = \"d{} + d{}\"\n", i, i - 1, i - 1);
  EXPECT_EQ(points(text + "[constraints]\nc = \"d40 <= 1073741824\"\n"), "sms=1\n"); // 2^30
}

TEST(Points, OneAtATimeBeginsWithTheGpuAsItIs) {
  EXPECT_EQ(points("[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"one-at-a-time\"\n[axes]\n"
                   "sms = [2, 4]\nl2.mib = [8]\n"),
            "\nl2.mib=8\nsms=2\nsms=4\n");
}

// 100 GB/s are 2.08 billion transfers a second, whatever the other axis has.
TEST(Points, OneAtATimeSeesKeysThatFollowAlthoughTheyHaveAxes) {
  EXPECT_EQ(
      points("[sweep]\nbase = [\"titan-x\"]\napps = [\"a.json\"]\nsampling = \"one-at-a-time\"\n[axes]\n"
             "dram.bandwidth_gbps = [100, 400]\ndram.data_rate_gtps = [8]\n"
             "[constraints]\nrate = \"dram.data_rate_gtps > 3\"\n"),
      "\ndram.bandwidth_gbps=400\ndram.data_rate_gtps=8\n");
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
