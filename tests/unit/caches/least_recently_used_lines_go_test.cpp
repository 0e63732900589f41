// Replacement, sectors and sets of one cache.
#include <gtest/gtest.h>

#include "caches/sectored_cache.h"

namespace kerncast::caches {
namespace {

// Hits of reading the lines in order, all four sectors of each.
double hits(SectoredCache& cache, std::uint64_t first, std::uint64_t count) {
  double sum = 0;
  for (std::uint64_t n = first; n < first + count; ++n) {
    SectorMask evicted = 0;
    CacheLine& line = cache.find_or_add(n, evicted);
    sum += line.valid == 0xf ? 1 : 0;
    line.valid = 0xf;
  }
  return sum;
}

TEST(sectored_cache, what_fits_stays) {
  SectoredCache cache(8, 0);
  EXPECT_EQ(hits(cache, 0, 8), 0);
  EXPECT_EQ(hits(cache, 0, 8), 8);
}

// Nine lines in turn through a cache of eight: each is gone when it comes again.
TEST(sectored_cache, a_sweep_over_one_line_more_never_hits) {
  SectoredCache cache(8, 0);
  for (int pass = 0; pass < 4; ++pass)
    EXPECT_EQ(hits(cache, 0, 9), 0);
}

TEST(sectored_cache, a_line_that_is_used_stays_longer) {
  SectoredCache cache(2, 0);
  hits(cache, 1, 2); // 1, 2
  EXPECT_NE(cache.find(1), nullptr);
  hits(cache, 3, 1); // 2 goes
  EXPECT_NE(cache.find(1), nullptr);
  EXPECT_EQ(cache.find(2), nullptr);
}

TEST(sectored_cache, a_line_is_there_without_its_other_sectors) {
  SectoredCache cache(4, 0);
  SectorMask evicted = 0;
  cache.find_or_add(7, evicted).valid = 0b0001;
  EXPECT_EQ(cache.find_or_add(7, evicted).valid & 0b0010U, 0U);
}

TEST(sectored_cache, dirty_sectors_are_told_when_their_line_goes) {
  SectoredCache cache(1, 0);
  SectorMask evicted = 0;
  cache.find_or_add(1, evicted).dirty = 0b1010;
  EXPECT_EQ(evicted, 0U);
  cache.find_or_add(2, evicted);
  EXPECT_EQ(evicted, 0b1010U);
  cache.find_or_add(3, evicted);
  EXPECT_EQ(evicted, 0U);
}

// 16 sets of 4: lines whose hash falls into one set displace each other, so that a working set of the cache's
// size does not stay whole, and one of a quarter of it nearly does.
TEST(sectored_cache, sets_overflow_one_by_one) {
  SectoredCache cache(64, 4);
  hits(cache, 0, 64);
  EXPECT_LT(hits(cache, 0, 64), 64);
  cache.clear();
  hits(cache, 0, 16);
  EXPECT_GE(hits(cache, 0, 16), 12);
}

TEST(sectored_cache, a_cache_without_lines_holds_nothing) {
  SectoredCache cache(0, 0);
  EXPECT_EQ(hits(cache, 0, 3), 0);
  EXPECT_EQ(hits(cache, 0, 3), 0);
}

TEST(sectored_cache, a_cleared_cache_holds_nothing) {
  SectoredCache cache(8, 2);
  hits(cache, 0, 8);
  cache.clear();
  EXPECT_EQ(hits(cache, 0, 8), 0);
}

// Ten thousand lines through 100: the table behind it loses none and invents none.
TEST(sectored_cache, the_last_lines_are_there_after_many) {
  SectoredCache cache(100, 0);
  hits(cache, 0, 10'000);
  for (std::uint64_t n = 0; n < 10'000; ++n)
    EXPECT_EQ(cache.find(n) != nullptr, n >= 9'900) << n;
}

} // namespace
} // namespace kerncast::caches
