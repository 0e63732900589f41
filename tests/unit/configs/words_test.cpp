// What is not known, not published or not there is a word in a description, not the number 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configs/unchecked.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string shown(const Gpu& gpu, std::string_view wanted) {
  for (const auto& [key, value] : resolved_values(gpu))
    if (key == wanted)
      return value;
  return "no such key";
}

TEST(Words, ZeroIsRefusedWhereAWordMeansIt) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"titan-x\"\ndram.bus_width_bits = 0\n"),
            "gpus/g.toml:2:23: error: dram.bus_width_bits must be at least 8 or \"not checked\", is 0\n"
            "  dram.bus_width_bits = 0\n"
            "                        ^\n"
            "gpus/g.toml:2:23: note: dram.bus_width_bits: width of the memory bus, in bits\n");
  EXPECT_THAT(Sandbox().errors_of("inherits = \"titan-x\"\nunits.alu.lanes = 0\n"),
              HasSubstr("units.alu.lanes must be at least 1 or \"not checked\", is 0"));
  EXPECT_THAT(Sandbox().errors_of("inherits = \"titan-x\"\nnvlink.links = 0\n"),
              HasSubstr("nvlink.links must be at least 1 or \"none\" or \"not known\", is 0"));
}

TEST(Words, OtherTextsAreRefused) {
  EXPECT_THAT(Sandbox().errors_of("inherits = \"titan-x\"\ndram.bus_width_bits = \"wide\"\n"),
              HasSubstr("dram.bus_width_bits must be a number or \"not checked\", is a text"));
  EXPECT_THAT(Sandbox().errors_of("inherits = \"titan-x\"\nsms = \"not known\"\n"),
              HasSubstr("sms must be a number, is a text"));
}

// 384 bits at 7.012 GT/s are 336.6 GB/s: a file that states 500 has to say that it leaves the check.
TEST(Words, LeavingAnInheritedCheckIsSaid) {
  const std::string faster = "inherits = \"titan-x\"\ndram.bandwidth_gbps = 500\n";
  EXPECT_THAT(Sandbox().errors_of(faster), HasSubstr("dram.bandwidth_gbps is 500, but 384 bits"));
  const Gpu gpu = Sandbox().loaded(faster + "dram.bus_width_bits = \"not checked\"\n");
  EXPECT_EQ(gpu.dram.bus_width_bits, 0U);
  EXPECT_EQ(shown(gpu, "dram.bus_width_bits"), "not checked");
  EXPECT_THAT(gpu.assumptions, Contains(HasSubstr("g: dram.bus_width_bits = not checked by ")));
  EXPECT_THAT(not_checked(gpu), Contains("dram.bandwidth_gbps: dram.bus_width_bits is not stated"));
}

TEST(Words, LeavingTheCheckOfAUnitIsSaid) {
  const Gpu gpu = Sandbox().loaded("inherits = \"titan-x\"\nunits.alu.lanes = \"not checked\"\n");
  EXPECT_THAT(gpu.assumptions, Contains(HasSubstr("g: units.alu.lanes = not checked by ")));
  EXPECT_THAT(not_checked(gpu), Contains(HasSubstr("issue_interval of alu, ")));
}

TEST(Words, WhatIsNotCheckedIsNamed) {
  EXPECT_THAT(not_checked(shipped_gpu("h100-sxm")),
              testing::ElementsAre("issue_interval of tensor, branch: they have no lanes stated"));
  EXPECT_THAT(
      not_checked(shipped_gpu("unit")),
      testing::ElementsAre("dram.bandwidth_gbps: dram.bus_width_bits, dram.data_rate_gtps are not stated",
                           "dram.data_rate_gtps: dram.clock_mhz, dram.transfers_per_clock are not stated",
                           "units and clock: peak.fp32_gflops, peak.fp64_gflops follow from them"));
}

TEST(Words, AClockIsNotPublishedOrNotStated) {
  const Gpu gpu = shipped_gpu("gh200");
  EXPECT_EQ(shown(gpu, "base_clock_mhz"), "not published");
  EXPECT_THAT(gpu.origins.at("base_clock_mhz").source, Not(IsEmpty()));
  EXPECT_EQ(shown(shipped_gpu("unit"), "base_clock_mhz"), "not stated");
  EXPECT_EQ(shown(shipped_gpu("h100-sxm"), "base_clock_mhz"), "1590");
}

TEST(Words, NvlinkIsANumberNoneOrNotKnown) {
  EXPECT_EQ(shown(shipped_gpu("h100-sxm"), "nvlink.links"), "18");
  EXPECT_EQ(shown(shipped_gpu("rtx4090"), "nvlink.links"), "none");
  EXPECT_EQ(shown(shipped_gpu("unit"), "nvlink.links"), "not known");
  // of a child that withdraws what it would inherit
  const Gpu child = Sandbox().loaded("inherits = \"h100-sxm\"\nnvlink.links = \"not known\"\n"
                                     "nvlink.link_bandwidth_gbps = \"not known\"\n");
  EXPECT_EQ(shown(child, "nvlink.links"), "not known");
}

TEST(Words, LinksWithoutBandwidthContradict) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"unit\"\nnvlink.links = 4\nnvlink.link_bandwidth_gbps = \"none\"\n"),
      "gpus/g.toml:2:16: error: only one of nvlink.links and nvlink.link_bandwidth_gbps is a number\n"
      "  nvlink.links = 4\n"
      "                 ^\n"
      "gpus/g.toml:2:16: note: nvlink.link_bandwidth_gbps = none is stated at gpus/g.toml:3\n");
}

TEST(Words, LinksOfUnknownBandwidthContradictToo) {
  for (const char* lines : {"nvlink.links = 4\n", "nvlink.link_bandwidth_gbps = 100\n",
                            "nvlink.links = 4\nnvlink.link_bandwidth_gbps = \"not known\"\n"})
    EXPECT_THAT(Sandbox().errors_of(std::string("inherits = \"unit\"\n") + lines),
                HasSubstr("only one of nvlink.links and nvlink.link_bandwidth_gbps is a number"))
        << lines;
}

// No GPU of the database leaves it open.
TEST(Words, EveryShippedGpuSaysItsClocksAndItsNvlink) {
  for (const std::string& name : list_gpus(ConfigPath({shipped})))
    if (const Gpu gpu = shipped_gpu(name); name != "unit") {
      EXPECT_NE(shown(gpu, "nvlink.links"), "not known") << name;
      EXPECT_NE(shown(gpu, "nvlink.link_bandwidth_gbps"), "not known") << name;
      EXPECT_NE(shown(gpu, "base_clock_mhz"), "not stated") << name;
    }
}

} // namespace
} // namespace kerncast::configs::test
