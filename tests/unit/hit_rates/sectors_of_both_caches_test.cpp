// L1 and L2 with sectors of different sizes.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hit_rates/cache_lines.h"
#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

using testing::ElementsAre;

configs::Cache lines_of(std::uint32_t line, std::uint32_t sector) {
  configs::Cache cache;
  cache.line_bytes = line;
  cache.sector_bytes = sector;
  return cache;
}

struct OfL2 {
  std::uint64_t line;
  caches::SectorMask sectors, of_l1;
  friend bool operator==(const OfL2&, const OfL2&) = default;
};

std::vector<OfL2> sectors_of_l2(const configs::Cache& l1, const configs::Cache& l2, std::uint64_t line,
                                caches::SectorMask sectors) {
  std::vector<OfL2> all;
  LinesOfL2(l1, l2).for_each(line, sectors,
                             [&](std::uint64_t l2_line, caches::SectorMask of_l2, caches::SectorMask of_l1) {
                               all.push_back({l2_line, of_l2, of_l1});
                             });
  return all;
}

TEST(SectorsOfBothCaches, SectorsOfL1AreThoseOfL2ThatHoldThem) {
  const configs::Cache l1 = lines_of(128, 32);
  EXPECT_THAT(sectors_of_l2(l1, lines_of(128, 32), 5, 0xd), ElementsAre(OfL2{5, 0xd, 0xd}));
  EXPECT_THAT(sectors_of_l2(l1, lines_of(128, 64), 5, 0xc), ElementsAre(OfL2{5, 2, 4}, OfL2{5, 2, 8}));
  EXPECT_THAT(sectors_of_l2(l1, lines_of(256, 128), 5, 0x8), ElementsAre(OfL2{2, 2, 8}));
}

// One sector of L1 is four of L2, in one line or in two.
TEST(SectorsOfBothCaches, ASectorOfL1IsAllOfL2sThatItCovers) {
  const configs::Cache l1 = lines_of(256, 128);
  EXPECT_THAT(sectors_of_l2(l1, lines_of(256, 32), 5, 0x2), ElementsAre(OfL2{5, 0xf0, 2}));
  EXPECT_THAT(sectors_of_l2(l1, lines_of(64, 32), 5, 0x2), ElementsAre(OfL2{22, 3, 2}, OfL2{23, 3, 2}));
}

// 512 lines of 128 bytes pass an L2 of 64: a sector of 128 misses once for four of L1, smaller ones each.
TEST(SectorsOfBothCaches, AStreamMissesOncePerLargerSector) {
  const Kernel loads{.of_cta = [](auto) { return sweep(0, 512); }};
  for (const auto& [l1_sector, l2_sector, h2] :
       {std::tuple{32U, 32U, 0.0}, {32U, 128U, 0.75}, {32U, 64U, 0.5}, {128U, 32U, 0.0}}) {
    configs::Gpu gpu = small_gpu();
    gpu.l1.sector_bytes = l1_sector;
    gpu.l2.sector_bytes = l2_sector;
    EXPECT_DOUBLE_EQ(run(gpu, loads).rates.l2, h2) << l1_sector << " " << l2_sector;
  }
}

// L2 holds 64 lines of 192 that are stored: what leaves it is two thirds, of each size.
TEST(SectorsOfBothCaches, WhatIsWrittenBackCountsInSectorsOfL1) {
  const Kernel stores{.of_cta = [](auto) {
    std::vector<Access> accesses = sweep(0, 192);
    for (Access& access : accesses)
      access.task = 1;
    return accesses;
  }};
  for (const auto& [l1_sector, l2_sector, l1_sectors_written] :
       {std::tuple{32U, 32U, 1.0}, {32U, 128U, 0.25}, {128U, 32U, 1.0}}) {
    configs::Gpu gpu = small_gpu();
    gpu.l1.sector_bytes = l1_sector;
    gpu.l2.sector_bytes = l2_sector;
    EXPECT_DOUBLE_EQ(1 - run(gpu, stores).rates.l2, l1_sectors_written * 2 / 3)
        << l1_sector << " " << l2_sector;
  }
}

} // namespace
} // namespace kerncast::hit_rates
