// Several L2s see the same accesses: each has the hits that it has by itself, and few lines are kept.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

configs::Cache l2_of(std::uint64_t lines) {
  configs::Cache l2;
  l2.bytes = lines * line_bytes;
  return l2;
}

// Each CTA loads eight lines, of which its successor loads four again, stores one, and changes one.
std::vector<Access> overlapping(std::uint64_t cta) {
  std::vector<Access> accesses = sweep(4 * cta, 8);
  accesses.push_back({1, 10'000 + cta % 100});
  accesses.push_back({2, 20'000 + cta % 30});
  return accesses;
}

// The start and the end of a long launch, which leave dirty lines that the rest of it displaces from those
// L2s that it fills.
TEST(L2sSideBySide, HaveTheHitsOfEachByItself) {
  const configs::Gpu gpu = small_gpu(4);
  std::vector<configs::Cache> l2s{l2_of(64), l2_of(16),      l2_of(0),  l2_of(1),
                                  l2_of(64), l2_of(1 << 20), l2_of(150)};
  l2s.push_back(l2_of(64));
  l2s.back().replacement = configs::Replacement::random;
  const Effort effort{.lines_per_launch = 400};
  const Kernel kernel{.ctas = 1000, .of_cta = overlapping};
  DeviceCaches together(gpu, effort, l2s);
  std::vector<DeviceCaches> alone;
  for (const configs::Cache& l2 : l2s)
    alone.emplace_back(gpu, effort, std::span(&l2, 1));
  for (int launch = 0; launch < 2; ++launch) {
    const std::vector<LaunchHits> hits = run_with_each_l2(together, kernel);
    ASSERT_EQ(hits.size(), l2s.size());
    for (std::size_t i = 0; i < l2s.size(); ++i) {
      const LaunchHits own = run(alone[i], kernel);
      EXPECT_EQ(hits[i].rates, own.rates) << i;
      EXPECT_EQ(hits[i].by_task, own.by_task) << i;
      EXPECT_EQ(hits[i].notes, own.notes) << i;
    }
    EXPECT_NE(hits[0].rates, hits[1].rates);
    EXPECT_NE(hits[0].rates, hits[5].rates);
  }
}

// Sizes 10, 30 and 20 are one list of lines; sets, random replacement and other lines are others.
TEST(L2sSideBySide, KeepTheLinesOfTheLargestOfThoseThatDifferInSizeOnly) {
  std::vector<configs::Cache> l2s{l2_of(10), l2_of(30), l2_of(20)};
  EXPECT_EQ(lines_kept(l2s), 30U);
  l2s.push_back(l2_of(8));
  l2s.back().ways = 2;
  EXPECT_EQ(lines_kept(l2s), 38U);
  l2s.push_back(l2_of(5));
  l2s.back().replacement = configs::Replacement::random;
  EXPECT_EQ(lines_kept(l2s), 43U);
  l2s.push_back(l2_of(8));
  l2s.back().line_bytes = 64;
  EXPECT_EQ(lines_kept(l2s), 59U); // 16 lines of half the size
}

} // namespace
} // namespace kerncast::hit_rates
