// The bounds of hit rates are the rates of caches half and twice as large. Those of L1 are compared with
// caches of these sizes, those of L2 behind an L1 that holds nothing.
#include <gtest/gtest.h>

#include "caches/sectored_cache.h"
#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

LaunchHits bounded(const configs::Gpu& gpu, const Kernel& kernel) {
  return run(gpu, kernel, {.bounds = true});
}

configs::Gpu with_l1_lines(std::uint64_t lines) {
  configs::Gpu gpu = small_gpu();
  gpu.l1.bytes = lines * line_bytes;
  gpu.l2.bytes = 4096 * line_bytes;
  return gpu;
}

TEST(bounds, are_there_only_if_they_are_wanted) {
  const Kernel kernel{.of_cta = [](auto) { return sweep(0, 8, 10); }};
  EXPECT_FALSE(run(small_gpu(), kernel).bounds);
  const LaunchHits hits = bounded(small_gpu(), kernel);
  ASSERT_TRUE(hits.bounds);
  EXPECT_EQ(hits.rates.l1, run(small_gpu(), kernel).rates.l1);
}

// Cyclic walks over n of 16 lines: up to 8 also hit in half of them, up to 16 in all, up to 32 in twice as
// many.
TEST(bounds, of_cyclic_walks_are_those_of_half_and_of_twice_the_cache) {
  for (const std::uint64_t lines : {4U, 8U, 9U, 14U, 16U, 17U, 24U, 31U, 33U, 50U}) {
    const Kernel kernel{.of_cta = [=](auto) { return sweep(0, lines, 20); }};
    const LaunchHits hits = bounded(with_l1_lines(16), kernel);
    const double half = run(with_l1_lines(8), kernel).rates.l1;
    const double twice = run(with_l1_lines(32), kernel).rates.l1;
    EXPECT_DOUBLE_EQ(hits.bounds->fewer.rates.l1, half) << lines;
    EXPECT_DOUBLE_EQ(hits.bounds->more.rates.l1, twice) << lines;
  }
}

// 20 random walks over 2,048 lines, of which L1 holds 512: a quarter of the loads hit, an eighth in half of
// it, a half in twice as much. One line in 8 tells as much but for how many lines were chosen (256 +- 15).
TEST(bounds, of_one_line_in_eight_are_as_good) {
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 40960; ++i)
    accesses.push_back({0, caches::hash_line(i) % 2048});
  const Kernel kernel{.of_cta = [&](auto) { return accesses; }};
  const LaunchHits hits = run(with_l1_lines(512), kernel, {.bounds = true, .bounds_shift = 3});
  EXPECT_NEAR(hits.rates.l1, 0.25, 0.02);
  EXPECT_NEAR(hits.bounds->fewer.rates.l1, 0.125, 0.06);
  EXPECT_NEAR(hits.bounds->more.rates.l1, 0.5, 0.06);
}

TEST(bounds, of_what_streams_and_of_what_fits_well_are_the_rates) {
  for (const LaunchHits& hits : {bounded(small_gpu(), {.of_cta = [](auto) { return sweep(0, 500); }}),
                                 bounded(small_gpu(), {.of_cta = [](auto) { return sweep(0, 4, 50); }})}) {
    for (const TaskRates& bound : {hits.bounds->fewer, hits.bounds->more}) {
      EXPECT_EQ(bound.rates.l1, hits.rates.l1);
      EXPECT_EQ(bound.rates.l2, hits.rates.l2);
    }
  }
}

// What a smaller L1 misses besides, L2 has: it was read before.
TEST(bounds, of_l2_count_what_l1_sends_on) {
  const LaunchHits hits = bounded(with_l1_lines(16), {.of_cta = [](auto) { return sweep(0, 14, 10); }});
  EXPECT_NEAR(hits.rates.l1, 0.9, 1e-12);
  EXPECT_EQ(hits.rates.l2, 0);
  EXPECT_EQ(hits.bounds->fewer.rates.l1, 0);
  EXPECT_NEAR(hits.bounds->fewer.rates.l2, 0.9, 1e-12); // all but the first pass
}

TEST(bounds, of_l2_are_those_of_half_and_of_twice_the_cache) {
  for (const std::uint64_t lines : {20U, 40U, 60U, 100U, 140U}) {
    const Kernel kernel{.of_cta = [=](auto) { return sweep(0, lines, 20); },
                        .operations = {"ld.global.cg.f32"}};
    const auto of_size = [&](std::uint64_t l2_lines) {
      configs::Gpu gpu = small_gpu();
      gpu.l2.bytes = l2_lines * line_bytes;
      return gpu;
    };
    const LaunchHits hits = bounded(of_size(64), kernel);
    EXPECT_DOUBLE_EQ(hits.bounds->fewer.rates.l2, run(of_size(32), kernel).rates.l2) << lines;
    EXPECT_DOUBLE_EQ(hits.bounds->more.rates.l2, run(of_size(128), kernel).rates.l2) << lines;
  }
}

} // namespace
} // namespace kerncast::hit_rates
