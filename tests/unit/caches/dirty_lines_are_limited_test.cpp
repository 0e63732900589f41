// Of the lines of a set only a share may be dirty.
#include <gtest/gtest.h>

#include "caches/sectored_cache.h"

namespace kerncast::caches {
namespace {

constexpr auto lru = configs::Replacement::lru;

// What is written back as the whole line is written: sectors that have to go, and those that may not stay
// dirty.
SectorMask write(SectoredCache& cache, std::uint64_t number, SectorMask sectors = 0xf) {
  SectorMask evicted = 0;
  CacheLine& line = cache.find_or_add(number, evicted);
  return evicted | cache.write(line, sectors, ~PartMask{0}, 8);
}

SectorMask read(SectoredCache& cache, std::uint64_t number) {
  SectorMask evicted = 0;
  return cache.find_or_add(number, evicted).load(0xf);
}

// Eight lines, four of which may be dirty.
TEST(dirty_lines, the_one_used_longest_ago_is_written_back_and_stays) {
  SectoredCache cache(8, 0, lru, 0.5);
  for (std::uint64_t n = 1; n < 5; ++n)
    EXPECT_EQ(write(cache, n, 0b0001U << (n - 1)), 0U);
  EXPECT_EQ(write(cache, 5), 0b0001U);
  EXPECT_EQ(cache.find(1)->dirty, 0U);
  EXPECT_EQ(read(cache, 1), 0b0001U); // still there
  read(cache, 2);                     // 3 is now the dirty line that was used longest ago
  EXPECT_EQ(write(cache, 6), 0b0100U);
  EXPECT_EQ(cache.find(2)->dirty, 0b0010U);
}

// Six lines of eight, written in turn: each store makes dirty what was written back since, and no read
// misses. With all lines allowed to be dirty none is ever written back.
TEST(dirty_lines, a_sweep_of_writes_over_more_is_written_back_though_it_fits) {
  for (const double fraction : {0.5, 1.0}) {
    SectoredCache cache(8, 0, lru, fraction);
    int written_back = 0;
    for (std::uint64_t n = 0; n < 60; ++n)
      written_back += write(cache, n % 6) != 0 ? 1 : 0;
    EXPECT_EQ(written_back, fraction < 1 ? 60 - 4 : 0);
    for (std::uint64_t n = 0; n < 6; ++n)
      EXPECT_EQ(read(cache, n), 0xfU);
  }
}

TEST(dirty_lines, what_is_written_again_counts_once) {
  SectoredCache cache(8, 0, lru, 0.5);
  for (std::uint64_t n = 0; n < 40; ++n)
    EXPECT_EQ(write(cache, n % 4), 0U);
}

// A cache of four that reads push writes out of: what goes no longer counts.
TEST(dirty_lines, what_goes_makes_room) {
  SectoredCache cache(4, 0, lru, 0.5);
  write(cache, 0);
  write(cache, 1);
  for (std::uint64_t n = 2; n < 5; ++n)
    read(cache, n); // 0 goes
  EXPECT_EQ(cache.find(0), nullptr);
  SectorMask evicted = 0;
  EXPECT_EQ(cache.write(cache.find_or_add(2, evicted), 0xf, ~PartMask{0}, 8), 0U);
  EXPECT_EQ(cache.write(cache.find_or_add(3, evicted), 0xf, ~PartMask{0}, 8), 0xfU); // 1's
}

// At least one line may be dirty, and lines that go by chance are cleaned in order all the same.
TEST(dirty_lines, any_policy_has_the_limit) {
  SectoredCache cache(8, 0, configs::Replacement::random, 0.01);
  EXPECT_EQ(write(cache, 0, 0b0001), 0U);
  EXPECT_EQ(write(cache, 1, 0b0010), 0b0001U);
  EXPECT_EQ(write(cache, 0, 0b0100), 0b0010U);
}

} // namespace
} // namespace kerncast::caches
