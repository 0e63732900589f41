// What is said about caches must fit together; an error names the two places that disagree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

using testing::HasSubstr;

// 16 KiB in lines of 128 bytes and 4 ways are 32 sets; with 5 ways they would be 25.6.
TEST(CacheGeometry, SetsAreWhole) {
  EXPECT_EQ(errors_with("l1.kib = 16\nl1.ways = 4\n"), "it loaded");
  EXPECT_THAT(errors_with("l1.kib = 16\nl1.ways = 5\n"),
              HasSubstr("gpus/g.toml:2:10: error: l1.kib is 16, 16384 bytes, which are no whole number of "
                        "sets of 640 bytes"));
}

// 1 MiB in 8 slices of 16 ways: 64 sets each; 1 MiB does not divide by 7 slices.
TEST(CacheGeometry, SlicesHaveWholeSets) {
  EXPECT_EQ(errors_with("l2.mib = 1\nl2.ways = 16\nl2.slices = 8\n"), "it loaded");
  EXPECT_THAT(
      errors_with("l2.mib = 1\nl2.ways = 16\nl2.slices = 7\n"),
      HasSubstr(
          "l2.mib is 1, 1048576 bytes, which are no whole number of sets in all slices of 14336 bytes"));
}

TEST(CacheGeometry, PartitionsHaveWholeSlices) {
  EXPECT_EQ(errors_with("l2.slices = 8\nl2.partitions = 2\n"), "it loaded");
  EXPECT_THAT(errors_with("l2.slices = 9\nl2.partitions = 2\n"),
              HasSubstr("l2.slices is 9, not a multiple of l2.partitions (2)"));
}

TEST(CacheGeometry, TheFarPartitionIsFartherThanTheNearOne) {
  const std::string latencies = "l1.latency = 20\nl2.latency = 200\ndram.latency = 500\nl2.partitions = 2\n";
  EXPECT_EQ(errors_with(latencies + "l2.far_latency = 350\n"), "it loaded");
  EXPECT_THAT(errors_with(latencies + "l2.far_latency = 150\n"),
              HasSubstr("l2.latency is 200, more than l2.far_latency allows (150)"));
  EXPECT_THAT(errors_with("l2.far_latency = 150\n"), HasSubstr("there is only one partition"));
}

TEST(CacheGeometry, LoadedLatencyIsStatedAsAWhole) {
  const std::string dram = "dram.loaded_latency.a = 400\n";
  EXPECT_EQ(errors_with(dram + "dram.loaded_latency.c = 1.1\n"), "it loaded");
  EXPECT_THAT(errors_with(dram + "dram.loaded_latency.c = 11\n"),
              HasSubstr("dram.loaded_latency.c must be at most 10, is 11"));
  EXPECT_THAT(errors_with(dram), HasSubstr("needs a and c"));
}

TEST(CacheGeometry, LinesSectorsAndBanksArePowersOfTwo) {
  EXPECT_THAT(errors_with("l1.line_bytes = 96\nl1.kib = 48\n"),
              HasSubstr("l1.line_bytes is 96, not a power of two"));
  EXPECT_THAT(errors_with("l2.sector_bytes = 48\nl2.line_bytes = 96\n"),
              HasSubstr("l2.sector_bytes is 48, not a power of two"));
  EXPECT_THAT(errors_with("shared.banks = 33\n"), HasSubstr("shared.banks is 33, not a power of two"));
  EXPECT_THAT(errors_with("shared.bank_bytes = 3\n"),
              HasSubstr("shared.bank_bytes is 3, not a power of two"));
}

TEST(CacheGeometry, LinesHaveUpTo32Sectors) {
  EXPECT_EQ(errors_with("l2.line_bytes = 1024\n"), "it loaded");
  EXPECT_EQ(errors_with("l2.line_bytes = 4096\nl2.sector_bytes = 128\n"), "it loaded");
  EXPECT_THAT(errors_with("l2.line_bytes = 2048\n"),
              HasSubstr("gpus/g.toml:2:17: error: l2.line_bytes is 2048, more than 32 sectors of "
                        "l2.sector_bytes (32)"));
}

// The mistake is the file's, though the key that it contradicts has its default.
TEST(CacheGeometry, ContradictionOfADefaultIsShownWhereTheOtherValueIsStated) {
  EXPECT_EQ(errors_with("l1.sector_bytes = 256\n"),
            "gpus/g.toml:2:19: error: l1.line_bytes is 128, not a multiple of l1.sector_bytes (256)\n"
            "  l1.sector_bytes = 256\n"
            "                    ^~~\n"
            "gpus/g.toml:2:19: note: l1.line_bytes is not stated and has its default\n");
}

} // namespace
} // namespace kerncast::configs::test
