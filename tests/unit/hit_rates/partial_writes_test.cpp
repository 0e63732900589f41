// L2 keeps what is written without fetching what lies around it: a sector of which something was never
// written is fetched when it is read.
#include <algorithm>

#include <gtest/gtest.h>

#include "hit_rates/cache_lines.h"
#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

constexpr std::uint32_t even_lanes = 0x55555555, odd_lanes = 0xaaaaaaaa, first_sector = 0xff;

configs::Gpu gpu_past_l1() {
  configs::Gpu gpu = small_gpu();
  gpu.l1_caches_global = false;
  return gpu;
}

// What of the loads, task 0, L2 has. Task 1 stores, task 2 is an atomic.
double l2_of_loads(const configs::Gpu& gpu, const std::vector<Access>& accesses) {
  return run(gpu, {.of_cta = [&](auto) { return accesses; }}).by_task[0].l2;
}

TEST(PartialWrites, WhatWasWrittenWholeIsThere) {
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{1, 5}, {0, 5}}), 1);
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{.task = 1, .line = 5, .lanes = first_sector}, {0, 5}}), 0.25);
}

TEST(PartialWrites, ASectorOfWhichHalfWasWrittenIsFetched) {
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{.task = 1, .line = 5, .lanes = even_lanes}, {0, 5}}), 0);
  // Once.
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{.task = 1, .line = 5, .lanes = even_lanes}, {0, 5}, {0, 5}}),
                   0.5);
}

TEST(PartialWrites, TwoStoresWriteTheWholeTogether) {
  const Access even{.task = 1, .line = 5, .lanes = even_lanes}, odd{.task = 1, .line = 5, .lanes = odd_lanes};
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {even, odd, {0, 5}}), 1);
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {even, even, {0, 5}}), 0);
}

// A line that had to go in between takes with it what was written: 64 lines are L2's.
TEST(PartialWrites, WhatWasWrittenBackIsNoLongerThere) {
  std::vector<Access> accesses{{.task = 1, .line = 5, .lanes = even_lanes}};
  for (std::uint64_t line = 100; line < 164; ++line)
    accesses.push_back({1, line});
  accesses.push_back({.task = 1, .line = 5, .lanes = odd_lanes});
  accesses.push_back({0, 5});
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), accesses), 0);
}

TEST(PartialWrites, WhatWasReadOrChangedByAtomicsStaysWhole) {
  const Access even{.task = 1, .line = 5, .lanes = even_lanes};
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{0, 5}, even, {0, 5}}), 0.5);
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu_past_l1(), {{.task = 2, .line = 5, .lanes = even_lanes}, {0, 5}}), 1);
}

// 32 sectors of 32 bytes: each is one part, and what touches it counts as all of it.
TEST(PartialWrites, PartsAreAThirtySecondOfALine) {
  configs::Gpu gpu = gpu_past_l1();
  gpu.l1.line_bytes = gpu.l2.line_bytes = 1024;
  EXPECT_DOUBLE_EQ(l2_of_loads(gpu, {{.task = 1, .line = 5, .lanes = even_lanes}, {0, 5}}), 1);
}

// Lines and sectors of L1 and L2 that are parts of each other, with lines of 128 bytes in L1: half of what is
// read is there only where a sector of L2 holds two of L1.
TEST(PartialWrites, PartsOfL1sLinesAreThoseOfL2s) {
  for (const auto& [l1_sector, l2_sector, l2_line] :
       {std::tuple{32U, 64U, 128U}, {64U, 32U, 128U}, {32U, 32U, 64U}, {128U, 32U, 32U}}) {
    configs::Gpu gpu = gpu_past_l1();
    gpu.l1.sector_bytes = l1_sector;
    gpu.l2.sector_bytes = l2_sector;
    gpu.l2.line_bytes = l2_line;
    const Access even{.task = 1, .line = 5, .lanes = even_lanes},
        odd{.task = 1, .line = 5, .lanes = odd_lanes};
    const double fetched = l2_of_loads(gpu, {{0, 5}});
    EXPECT_DOUBLE_EQ(l2_of_loads(gpu, {even, {0, 5}}), fetched)
        << l1_sector << " " << l2_sector << " " << l2_line;
    EXPECT_DOUBLE_EQ(l2_of_loads(gpu, {even, odd, {0, 5}}), 1)
        << l1_sector << " " << l2_sector << " " << l2_line;
  }
}

// Longer lines of L1, whose parts lie in two or more lines of L2: what was written whole is there.
TEST(PartialWrites, APartOfL1MayBeSeveralLinesOfL2) {
  for (const auto& [l1_line, l2_line] : {std::pair{2048U, 32U}, {4096U, 32U}, {4096U, 64U}, {256U, 128U}}) {
    configs::Cache l1, l2;
    l1.line_bytes = l1_line;
    l1.sector_bytes = std::max(32U, l1_line / configs::Cache::most_sectors);
    l2.line_bytes = l2_line;
    std::uint64_t lines = 0;
    LinesOfL2(l1, l2).for_each_written(
        3, ~0U >> (32 - l1_line / l1.sector_bytes), ~0U,
        [&](std::uint64_t line, caches::SectorMask sectors, caches::PartMask parts) {
          ++lines;
          EXPECT_EQ(sectors & ~caches::whole_sectors(parts, parts_per_sector(l2)), 0U)
              << l1_line << " " << l2_line << " line " << line;
        });
    EXPECT_GE(lines, l1_line / l2_line);
  }
}

TEST(PartialWrites, LinesOfFewBytesHaveSeveralPartsAByte) {
  configs::Cache cache;
  cache.line_bytes = cache.sector_bytes = 16;
  EXPECT_EQ(parts_at(0, 1, cache), 0x3U);
  EXPECT_EQ(parts_at(15, 4, cache), 0xc0000000U); // the rest is in the next line
  EXPECT_EQ(parts_at(0, 16, cache), ~0U);
  cache.line_bytes = 128;
  cache.sector_bytes = 32;
  EXPECT_EQ(parts_at(30, 4, cache), 0x180U);
}

} // namespace
} // namespace kerncast::hit_rates
