// --set goes through the same table as files, and carries along what follows from the key it sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(Settings, TextSplitsAtTheFirstEqualsSign) {
  const auto setting = parse_setting(" l1.kib = 64 ");
  ASSERT_TRUE(setting);
  EXPECT_EQ(setting->key, "l1.kib");
  EXPECT_EQ(setting->value, "64");
}

TEST(Settings, TextWithoutKeyOrValueIsRefused) {
  for (const char* text : {"", "sms", "=4", " = "}) {
    const auto setting = parse_setting(text);
    ASSERT_FALSE(setting) << text;
    EXPECT_EQ(render(setting.error()), std::string("error: --set: '") + text +
                                           "' is not KEY=VALUE\nnote: for example: --set clock_mhz=1560\n");
  }
}

// What a value is, the key says: a text may be a number, or empty.
TEST(Settings, ValueIsOfTheKeysKind) {
  const auto empty = parse_setting("limits.shared_carve_outs_kib=");
  ASSERT_TRUE(empty);
  EXPECT_EQ(shipped_gpu("h100-sxm", {*empty}).limits.shared_carve_outs_kib, "");
  EXPECT_EQ(shipped_gpu("h100-sxm", {{"limits.shared_carve_outs_kib", "228"}}).limits.shared_carve_outs_kib,
            "228");
  EXPECT_EQ(shipped_gpu("h100-sxm", {{"product", "5090"}}).product, "5090");
  EXPECT_EQ(shipped_gpu("h100-sxm", {{"product", "true"}}).product, "true");
  EXPECT_THAT(Sandbox().errors("unit", {{"sms", ""}}),
              testing::HasSubstr("sms must be a number, is empty\n"));
}

// 100000 GB/s over 5120 bits, two transfers per clock: 100000 * 8 / 5120 / 2 = 78.125 GHz.
TEST(Settings, WhatFollowsLiesInTheRangeOfItsKey) {
  EXPECT_EQ(Sandbox().errors("h100-sxm", {{"dram.bandwidth_gbps", "100000"}}),
            "error: --set: dram.clock_mhz must be at most 40000, is 78125\n"
            "note: dram.clock_mhz follows from another key that is set: set it, too, if it is to differ\n");
}

TEST(Settings, ReplacesTheFilesValueAndIsItsOrigin) {
  const Gpu gpu = shipped_gpu("unit", {{"sms", "8"}, {"scheduler", "gto"}, {"dual_issue", "true"}});
  EXPECT_EQ(gpu.sms, 8U);
  EXPECT_EQ(gpu.scheduler, SchedulerPolicy::gto);
  EXPECT_TRUE(gpu.dual_issue);
  EXPECT_EQ(gpu.origins.at("sms").place, "--set");
}

TEST(Settings, LastOfSeveralCounts) { EXPECT_EQ(shipped_gpu("unit", {{"sms", "8"}, {"sms", "9"}}).sms, 9U); }

TEST(Settings, SizesAreStatedInTheKeysUnit) {
  const Gpu gpu = shipped_gpu("unit", {{"l1.kib", "64"}, {"l2.mib", "1.5"}});
  EXPECT_EQ(gpu.l1.bytes, 65536U);   // 64 * 1024
  EXPECT_EQ(gpu.l2.bytes, 1572864U); // 1.5 * 1024 * 1024
}

TEST(Settings, EveryBadOneIsReportedWithItsKey) {
  EXPECT_EQ(Sandbox().errors(
                "unit", {{"sms", "0"}, {"clock_mhz", "fast"}, {"l1.latncy", "4"}, {"l1.latency", "inf"}}),
            "error: --set: sms must be at least 1, is 0\n"
            "note: sms: streaming multiprocessors that are enabled\n"
            "error: --set: clock_mhz must be a number, is a text\n"
            "note: clock_mhz: SM clock; every cycle of the description is one of it, in MHz\n"
            "error: --set: unknown key 'l1.latncy'\n"
            "note: did you mean 'l1.latency'?\n"
            "error: --set: l1.latency must be a finite number, is inf\n"
            "note: l1.latency: of a hit, from issue, in cycles\n");
}

TEST(Settings, CannotInventAUnit) {
  EXPECT_EQ(Sandbox().errors("unit", {{"units.alx.latency", "4"}}),
            "error: --set: the GPU has no unit 'alx' (key 'units.alx.latency')\n"
            "note: did you mean 'alu'?\n");
}

TEST(Settings, UnitLatencyReachesTheIsaTable) {
  const Gpu gpu = shipped_gpu("titan-x", {{"units.alu.latency", "11"}});
  EXPECT_EQ(gpu.isa->find("add.s32")->machine.at(0).latency, 11);
}

TEST(Settings, GuessThatIsReplacedIsNoAssumption) {
  const auto names_it = testing::Contains(testing::HasSubstr("cta_launch_latency"));
  EXPECT_THAT(shipped_gpu("titan-x").assumptions, names_it);
  EXPECT_THAT(shipped_gpu("titan-x", {{"cta_launch_latency", "200"}}).assumptions, testing::Not(names_it));
}

// TITAN X: 384 bits. 168.25 GB/s * 8 / 384 = 3.505 GT/s.
TEST(Settings, DataRateFollowsBandwidth) {
  const Gpu gpu = shipped_gpu("titan-x", {{"dram.bandwidth_gbps", "168.24"}});
  EXPECT_DOUBLE_EQ(gpu.dram.data_rate_gtps, 3.505);
  EXPECT_EQ(gpu.origins.at("dram.data_rate_gtps").place, "follows from --set");
}

// 192 bits / 8 * 7.012 GT/s = 168.288 GB/s.
TEST(Settings, BandwidthFollowsBusWidth) {
  const Gpu gpu = shipped_gpu("titan-x", {{"dram.bus_width_bits", "192"}});
  EXPECT_DOUBLE_EQ(gpu.dram.bandwidth_gbps, 168.288);
}

TEST(Settings, BandwidthAndDataRateThatContradictTheBusAreRefused) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"titan-x\"\ndram.bus_width_bits = 384\n",
                                {{"dram.bandwidth_gbps", "100"}, {"dram.data_rate_gtps", "7"}}),
            "error: --set: dram.bandwidth_gbps is 100, but 384 bits at 7 GT/s are 336.0\n"
            "note: dram.data_rate_gtps = 7 is stated at --set\n"
            "note: dram.bus_width_bits = 384 is stated at gpus/g.toml:2\n");
}

TEST(Settings, IssueIntervalOverridesTheLanes) {
  const Gpu gpu = shipped_gpu("titan-x", {{"units.sfu.issue_interval", "1"}});
  EXPECT_EQ(gpu.isa->find("ex2.approx.ftz.f32")->machine.at(0).issue_interval, 1);
}

// 16 lanes take 32 / 16 = 2 cycles for a warp.
TEST(Settings, IssueIntervalFollowsTheLanes) {
  const Gpu gpu = shipped_gpu("titan-x", {{"units.sfu.lanes", "16"}});
  EXPECT_EQ(gpu.isa->find("ex2.approx.ftz.f32")->machine.at(0).issue_interval, 2);
}

} // namespace
} // namespace kerncast::configs::test
