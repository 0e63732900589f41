// Clocks, data rates and peaks follow from what is stated nearer, and contradict what is stated beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

// 2 operations * 32 lanes * 160 SMs * 4 sub-cores * 1980 MHz = 81101 GFLOP/s for f32, half of it for f64.
TEST(DerivedValues, PeaksOfAHypotheticalGpuFollowFromItsSms) {
  const Gpu gpu = Sandbox().loaded("inherits = \"h100-sxm\"\nsms = 160\nl2.mib = 100\n");
  EXPECT_NEAR(gpu.peak.fp32_gflops, 81100.8, 1e-6);
  EXPECT_NEAR(gpu.peak.fp64_gflops, 40550.4, 1e-6);
  EXPECT_EQ(gpu.origins.at("peak.fp32_gflops").place, "follows from units and clock");
  EXPECT_EQ(shipped_gpu("h100-sxm").peak.fp32_gflops, 67000);
}

TEST(DerivedValues, PeaksFollowASetClock) {
  // 2 * 32 lanes * 1 GHz
  EXPECT_EQ(shipped_gpu("unit").peak.fp32_gflops, 64);
  EXPECT_EQ(shipped_gpu("unit", {{"clock_mhz", "500"}}).peak.fp32_gflops, 32);
}

TEST(DerivedValues, APublishedPeakMustBeTheUnitsAtAClock) {
  EXPECT_EQ(errors_with("sms = 2\nunits.fp32.issue_interval = 1\npeak.fp32_gflops = 131\n"
                        "boost_clock_mhz = 1000\nclock_mhz = 1000\n"),
            "gpus/g.toml:4:20: error: peak.fp32_gflops is 131, but 128 operations per clock at 1000 MHz are "
            "128\n"
            "  peak.fp32_gflops = 131\n"
            "                     ^~~\n"
            "gpus/g.toml:4:20: note: units.fp32.issue_interval = 1 is stated at gpus/g.toml:3\n"
            "gpus/g.toml:4:20: note: sms = 2 is stated at gpus/g.toml:2\n");
  EXPECT_EQ(errors_with("sms = 2\npeak.fp32_gflops = 130\n"), "it loaded"); // 1.6 % above 128
  EXPECT_EQ(errors_with("sms = 2\nclock_mhz = 1000\nboost_clock_mhz = 2000\npeak.fp32_gflops = 256\n"),
            "it loaded");
}

TEST(DerivedValues, BoostIsNoSlowerThanBase) {
  EXPECT_THAT(errors_with("clock_mhz = 1000\nbase_clock_mhz = 1200\nboost_clock_mhz = 1100\n"),
              testing::HasSubstr("base_clock_mhz is 1200, more than boost_clock_mhz allows (1100)\n"));
}

// 1753 MHz * 4 = 7.012 GT/s.
TEST(DerivedValues, DataRateMustBeTheMemoryClocks) {
  const std::string memory =
      "dram.data_rate_gtps = 7.3\ndram.clock_mhz = 1753\ndram.transfers_per_clock = 4\n";
  EXPECT_THAT(errors_with(memory),
              testing::AllOf(testing::HasSubstr("gpus/g.toml:2:23: error: dram.data_rate_gtps is 7.3, but 4 "
                                                "transfers per clock at 1753 MHz are 7.01\n"),
                             testing::HasSubstr("dram.clock_mhz = 1753 is stated at gpus/g.toml:3\n")));
}

// Half the memory clock, half the data rate, half the bandwidth.
TEST(DerivedValues, BandwidthFollowsASetMemoryClock) {
  const Gpu gpu = shipped_gpu("titan-x", {{"dram.clock_mhz", "876.5"}});
  EXPECT_EQ(gpu.dram.data_rate_gtps, 3.506);
  EXPECT_DOUBLE_EQ(gpu.dram.bandwidth_gbps, 168.288);
}

TEST(DerivedValues, MemoryClockFollowsASetBandwidth) {
  const Gpu gpu = shipped_gpu("titan-x", {{"dram.bandwidth_gbps", "168"}});
  EXPECT_EQ(gpu.dram.data_rate_gtps, 3.5);
  EXPECT_EQ(gpu.dram.clock_mhz, 875);
}

TEST(DerivedValues, LimitsAboveTheComputeCapabilityAreRefused) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"rtx3090\"\nlimits.warps_per_sm = 64\n"),
      "gpus/g.toml:2:23: error: limits.warps_per_sm is 64, more than compute capability 8.6 allows (48)\n"
      "  limits.warps_per_sm = 64\n"
      "                        ^~\n"
      "gpus/g.toml:2:23: note: limits.warps_per_sm = 48 is stated at configs/gpus/base/cc-8.6.toml:12\n"
      "gpus/g.toml:2:23: note: change it with --set, or state the compute capability of a hypothetical "
      "GPU\n");
  EXPECT_EQ(Sandbox().errors_of(
                "inherits = \"rtx3090\"\ncompute_capability.major = 99\ncompute_capability.minor = 0\n"
                "limits.warps_per_sm = 64\n"),
            "it loaded");
  EXPECT_EQ(shipped_gpu("rtx3090", {{"limits.warps_per_sm", "64"}}).limits.warps_per_sm, 64U);
}

} // namespace
} // namespace kerncast::configs::test
