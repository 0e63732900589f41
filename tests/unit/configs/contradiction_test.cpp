// A description that contradicts itself is refused, and the message names both statements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

// 384 bits / 8 * 7 GT/s = 336 GB/s; 2 % of it are 6.72.
TEST(Contradiction, BandwidthMustBeBusWidthTimesDataRate) {
  const std::string rest = "dram.bus_width_bits = 384\ndram.data_rate_gtps = 7\nl2.bytes_per_clock = 512\n";
  EXPECT_EQ(errors_with("dram.bandwidth_gbps = 343\n" + rest),
            "gpus/g.toml:2:23: error: dram.bandwidth_gbps is 343, but 384 bits at 7 GT/s are 336.0\n"
            "  dram.bandwidth_gbps = 343\n"
            "                        ^~~\n"
            "gpus/g.toml:2:23: note: dram.bus_width_bits = 384 is stated at gpus/g.toml:3\n"
            "gpus/g.toml:2:23: note: dram.data_rate_gtps = 7 is stated at gpus/g.toml:4\n");
  EXPECT_EQ(errors_with("dram.bandwidth_gbps = 342\n" + rest), "it loaded");
}

TEST(Contradiction, LineMustBeAMultipleOfItsSectors) {
  EXPECT_EQ(errors_with("l1.line_bytes = 128\nl1.sector_bytes = 256\n"),
            "gpus/g.toml:2:17: error: l1.line_bytes is 128, not a multiple of l1.sector_bytes (256)\n"
            "  l1.line_bytes = 128\n"
            "                  ^~~\n"
            "gpus/g.toml:2:17: note: l1.sector_bytes = 256 is stated at gpus/g.toml:3\n");
}

// 24,608 bytes are 192.25 lines.
TEST(Contradiction, CacheMustBeAMultipleOfItsLines) {
  EXPECT_EQ(
      errors_with("l1.kib = 24.03125\nl1.line_bytes = 128\n"),
      "gpus/g.toml:2:10: error: l1.kib is 24.03125, 24608 bytes, which are no whole number of lines of 128 "
      "bytes\n"
      "  l1.kib = 24.03125\n"
      "           ^~~~~~~~\n"
      "gpus/g.toml:2:10: note: l1.line_bytes = 128 is stated at gpus/g.toml:3\n");
}

// The engine has a bit for each warp of a sub-core.
TEST(Contradiction, SubCoresHoldSixtyFourWarps) {
  EXPECT_THAT(errors_with("sub_cores_per_sm = 1\nlimits.warps_per_sm = 128\n"),
              testing::HasSubstr("limits.warps_per_sm is 128, more than sub_cores_per_sm allows (64)"));
}

TEST(Contradiction, GpuHasSixtyFourUnits) {
  std::string units;
  for (int i = 0; i < 64; ++i)
    units +=
        "units.u" + std::to_string(i) + ".latency = 4\nunits.u" + std::to_string(i) + ".issue_interval = 1\n";
  EXPECT_THAT(errors_with(units), testing::HasSubstr("units, but at most 64 are simulated"));
}

TEST(Contradiction, SizeMustBeWholeBytes) {
  EXPECT_THAT(errors_with("l1.kib = 32.0001\n"),
              testing::HasSubstr("error: l1.kib must be a whole number of bytes, is 32.0001\n"));
}

TEST(Contradiction, FartherMemoryCannotBeNearer) {
  EXPECT_THAT(
      errors_with("l1.latency = 5\nl2.latency = 4\n"),
      testing::HasSubstr("gpus/g.toml:2:14: error: l1.latency is 5, more than l2.latency allows (4)\n"));
  EXPECT_THAT(
      errors_with("l2.latency = 5\ndram.latency = 4\n"),
      testing::HasSubstr("gpus/g.toml:2:14: error: l2.latency is 5, more than dram.latency allows (4)\n"));
}

TEST(Contradiction, LevelsStandInOrder) {
  struct Case {
    const char* lines;
    const char* message;
  };
  for (const Case& c : {
           Case{"shared.latency = 5\nl2.latency = 4", "shared.latency is 5, more than l2.latency allows (4)"},
           Case{"constant.latency = 5\nl2.latency = 4",
                "constant.latency is 5, more than l2.latency allows (4)"},
           // there and back in 260 cycles
           Case{"interconnect.latency = 131\nl2.latency = 260\ndram.latency = 500",
                "interconnect.latency is 131, more than l2.latency allows (130)"},
           Case{"l1.bytes_per_clock = 0.1",
                "l1.bytes_per_clock is 0.1, less than memory.to_l2_bytes_per_clock (128)"},
           Case{"l2.mshrs = 8", "l2.mshrs is of a slice, and l2.slices is not a number"},
           Case{"l2.mib = 64\ndram.gib = 0.03125", "l2.mib is 64, more than the 32 MiB of dram.gib"},
       })
    EXPECT_THAT(errors_with(std::string("l1.latency = 1\n") + c.lines + "\n"),
                testing::HasSubstr(std::string("error: ") + c.message + "\n"))
        << c.lines;
}

// 16 lanes need 32 / 16 = 2 cycles for the 32 threads of a warp.
TEST(Contradiction, UnitCannotBeFasterThanItsLanes) {
  EXPECT_EQ(errors_with("units.alu.issue_interval = 1\nunits.alu.lanes = 16\n"),
            "gpus/g.toml:2:28: error: units.alu.issue_interval is 1, but 16 lanes need 2 cycles for a warp\n"
            "  units.alu.issue_interval = 1\n"
            "                             ^\n"
            "gpus/g.toml:2:28: note: units.alu.lanes = 16 is stated at gpus/g.toml:3\n");
}

// A unit may be slower than its lanes, as f64 on Turing; a file says where that is known from.
TEST(Contradiction, UnitSlowerThanItsLanesNeedsASource) {
  const std::string slow = "units.alu.lanes = 16\nunits.alu.issue_interval = 4";
  EXPECT_EQ(
      errors_with(slow + "\n"),
      "gpus/g.toml:3:28: error: units.alu.issue_interval is 4, but 16 lanes need only 2 cycles for a warp, "
      "and the longer interval has no source: say in a comment on its line where it is from\n"
      "  units.alu.issue_interval = 4\n"
      "                             ^\n"
      "gpus/g.toml:3:28: note: units.alu.lanes = 16 is stated at gpus/g.toml:2\n");
  EXPECT_THAT(errors_with(slow + " # specified: 32 / lanes\n"), testing::HasSubstr("has no source"));
  EXPECT_EQ(errors_with(slow + " # measured: my microbenchmark\n"), "it loaded");
  EXPECT_EQ(errors_with(slow + " # guess: as on Turing\n"), "it loaded");
}

// Twice the inherited lanes leave an interval behind that was 32 / lanes of the parent.
TEST(Contradiction, MoreLanesNeedAnIntervalOfTheirOwn) {
  EXPECT_THAT(
      Sandbox().errors_of("inherits = \"a100-sxm4-40gb\"\nunits.fp32.lanes = 32\n"),
      testing::HasSubstr("units.fp32.issue_interval is 2, but 32 lanes need only 1 cycles for a warp"));
}

// 100 bytes per clock at 1 GHz are 100 GB/s; DRAM delivers 128 GB/s through it.
TEST(Contradiction, L2IsNoSlowerThanDram) {
  EXPECT_EQ(
      errors_with("l2.bytes_per_clock = 100\n"),
      "gpus/g.toml:2:22: error: l2.bytes_per_clock is 100, 100.0 GB/s, less than dram.bandwidth_gbps (128)\n"
      "  l2.bytes_per_clock = 100\n"
      "                       ^~~\n"
      "gpus/g.toml:2:22: note: dram.bandwidth_gbps = 128 is stated at configs/gpus/unit.toml:94\n");
  EXPECT_THAT(errors_with("dram.bandwidth_gbps = 256\n"),
              testing::HasSubstr("l2.bytes_per_clock = 128 is stated at configs/gpus/unit.toml:"));
  // At the boost clock it is 128 GB/s, though a prediction at a locked clock has less.
  EXPECT_EQ(errors_with("l2.bytes_per_clock = 100\nclock_mhz = 1000\nboost_clock_mhz = 1280\n"), "it loaded");
}

// 0.5 of 128 bytes per clock: 64 of the way of requests.
TEST(Contradiction, RequestsOfReadsFitTheirWay) {
  EXPECT_EQ(errors_with("l2.write_bytes_per_clock = 64\nl2.read_request_fraction = 0.5\n"), "it loaded");
  EXPECT_THAT(errors_with("l2.write_bytes_per_clock = 50\nl2.read_request_fraction = 0.5\n"),
              testing::HasSubstr(
                  "error: l2.write_bytes_per_clock is 50, less than the requests of l2.bytes_per_clock need "
                  "(64.0, at l2.read_request_fraction = 0.5)"));
  EXPECT_THAT(errors_with("l2.read_request_fraction = 0.5\n"),
              testing::HasSubstr("l2.read_request_fraction is of the way of requests, and "
                                 "l2.write_bytes_per_clock is not a number"));
}

TEST(Contradiction, AStudyMayMakeL2SlowerThanDram) {
  EXPECT_THAT(
      shipped_gpu("unit", {{"l2.bytes_per_clock", "100"}}).assumptions,
      testing::Contains("unit: l2.bytes_per_clock is 100, 100.0 GB/s, less than dram.bandwidth_gbps (128)"));
}

// 1 / 0.5 = 2 warp instructions a cycle, of which the one scheduler of the unit GPU issues one.
TEST(Contradiction, UnitTakesNoMoreThanSchedulersIssue) {
  EXPECT_EQ(errors_with("units.alu.issue_interval = 0.5\nunits.alu.lanes = 64\n"),
            "gpus/g.toml:2:28: error: units.alu.issue_interval 0.5 and units.alu.count 1 take 2 warp "
            "instructions a cycle, but schedulers issue only 1 (issue_width, issue_interval)\n"
            "  units.alu.issue_interval = 0.5\n"
            "                             ^~~\n"
            "gpus/g.toml:2:28: note: issue_width = 1 is stated at configs/gpus/unit.toml:14\n"
            "gpus/g.toml:2:28: note: units.alu.count is not stated and has its default\n");
  EXPECT_THAT(errors_with("units.alu.count = 2\n"), testing::HasSubstr("units.alu.count 2 take 2 warp"));
  EXPECT_EQ(errors_with("units.alu.count = 2\nissue_width = 2\n"), "it loaded");
}

TEST(Contradiction, AStudyMayGiveAUnitMoreThanSchedulersIssue) {
  EXPECT_THAT(
      shipped_gpu("unit", {{"units.alu.count", "2"}}).assumptions,
      testing::Contains(testing::HasSubstr("unit: units.alu.issue_interval 1 and units.alu.count 2")));
}

TEST(Contradiction, LimitsMustAgree) {
  struct Case {
    const char* lines;
    const char* message;
  };
  for (const Case& c : {
           Case{"limits.threads_per_sm = 2080",
                "limits.threads_per_sm is 2080, more than limits.warps_per_sm allows (2048)"},
           Case{"limits.threads_per_sm = 512",
                "limits.threads_per_cta is 1024, more than limits.threads_per_sm allows (512)"},
           Case{"limits.ctas_per_sm = 65",
                "limits.ctas_per_sm is 65, more than limits.warps_per_sm allows (64)"},
           Case{"limits.registers_per_cta = 65537",
                "limits.registers_per_cta is 65537, more than limits.registers_per_sm allows (65536)"},
           Case{"limits.registers_per_thread = 2049",
                "limits.registers_per_thread is 2049, more than limits.registers_per_cta allows (2048)"},
           Case{"limits.shared_reserved_bytes_per_cta = 1",
                "limits.shared_bytes_per_cta is 65537, more than limits.shared_bytes_per_sm allows (65536)"},
       })
    EXPECT_THAT(errors_with(c.lines), testing::HasSubstr(std::string("error: ") + c.message + "\n"))
        << c.lines;
}

} // namespace
} // namespace kerncast::configs::test
