// Random replacement: hits of cyclic walks against the fixed point that they settle at.
//
// Between two visits of a line in a walk over N lines, a share m of which misses, m N lines come into a cache
// of C lines, each to any place of it: the line is still there with h = 1 - m = (1 - 1 / C)^(m N). Least
// recently used lines in its place would be gone for any N > C.
#include <utility>

#include <gtest/gtest.h>

#include "caches/sectored_cache.h"

namespace kerncast::caches {
namespace {

using configs::Replacement;

bool hits(SectoredCache& cache, std::uint64_t line) {
  SectorMask evicted = 0;
  return std::exchange(cache.find_or_add(line, evicted).valid, 1) != 0;
}

// The share of hits in passes [from, to) over the lines [0, lines).
double hit_rate(SectoredCache& cache, std::uint64_t lines, int from, int to) {
  std::uint64_t sum = 0;
  for (int pass = 0; pass < to; ++pass)
    for (std::uint64_t line = 0; line < lines; ++line)
      if (hits(cache, line) && pass >= from)
        ++sum;
  return static_cast<double>(sum) / static_cast<double>(lines) / (to - from);
}

TEST(random_replacement, what_fits_stays) {
  SectoredCache cache(64, 0, Replacement::random);
  EXPECT_EQ(hit_rate(cache, 64, 1, 10), 1);
}

// h = (1 - 1/1024)^((1 - h) N): by iteration 0.6280 for N = 1.25 C, 0.4167 for 1.5 C, 0.2029 for 2 C and
// 0.0198 for 4 C. 100 passes: the draws scatter by some 0.2 %.
TEST(random_replacement, cyclic_walks_hit_as_the_fixed_point_says) {
  const std::pair<std::uint64_t, double> points[] = {
      {1280, 0.6280}, {1536, 0.4167}, {2048, 0.2029}, {4096, 0.0198}};
  for (const auto& [lines, rate] : points) {
    SectoredCache cache(1024, 0, Replacement::random);
    EXPECT_NEAR(hit_rate(cache, lines, 20, 120), rate, 0.006) << lines;
    SectoredCache least_recent(1024, 0, Replacement::lru);
    EXPECT_EQ(hit_rate(least_recent, lines, 0, 3), 0) << lines;
  }
}

// One line of N = C + 1 is always outside. When its turn comes it displaces any other, whose turn comes half
// a pass later on average: two misses a pass.
TEST(random_replacement, one_line_too_many_costs_two_misses_a_pass) {
  SectoredCache cache(256, 0, Replacement::random);
  EXPECT_NEAR((1 - hit_rate(cache, 257, 10, 510)) * 257, 2, 0.1);
}

// Draws to any of 16 lines of 64 find it with 1/4, whatever goes (004, eq. 6).
TEST(random_replacement, random_walks_hit_in_the_proportion_of_cache_and_array) {
  SectoredCache cache(256, 0, Replacement::random);
  int found = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    found += hits(cache, hash_line(i) % 1024) ? 1 : 0;
  EXPECT_NEAR(found / 1e5, 0.25, 0.01);
}

// 32 sets of 4: what goes is of the line's own set, so that lines in sets with room for them stay for ever.
TEST(random_replacement, sets_keep_what_fits_in_them) {
  SectoredCache random(128, 4, Replacement::random);
  SectoredCache least_recent(128, 4, Replacement::lru);
  const double by_chance = hit_rate(random, 128, 10, 60), by_age = hit_rate(least_recent, 128, 10, 60);
  EXPECT_GT(by_chance, by_age + 0.1);
  EXPECT_LT(by_chance, 0.9);
}

TEST(random_replacement, dirty_sectors_are_told_when_their_line_goes) {
  SectoredCache cache(1, 0, Replacement::random);
  SectorMask evicted = 0;
  cache.find_or_add(1, evicted).dirty = 0b1010;
  cache.find_or_add(2, evicted);
  EXPECT_EQ(evicted, 0b1010U);
}

// The same accesses have the same hits, one by one, in another cache and after clear().
TEST(random_replacement, is_the_same_every_time) {
  SectoredCache one(64, 4, Replacement::random), other(64, 4, Replacement::random);
  hit_rate(other, 200, 0, 3);
  other.clear();
  for (int pass = 0; pass < 10; ++pass)
    for (std::uint64_t line = 0; line < 100; ++line)
      EXPECT_EQ(hits(one, line), hits(other, line));
}

} // namespace
} // namespace kerncast::caches
