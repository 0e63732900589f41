// Hit rates that can be worked out on paper.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

constexpr configs::Replacement policies[] = {configs::Replacement::lru, configs::Replacement::random};

void expect_rates(const LaunchHits& hits, double l1, double l2, double tolerance = 1e-12) {
  EXPECT_NEAR(hits.rates.l1, l1, tolerance);
  EXPECT_NEAR(hits.rates.l2, l2, tolerance);
  EXPECT_TRUE(hits.notes.empty()) << hits.notes.front();
}

configs::Gpu with(configs::Replacement replacement, configs::Gpu gpu) {
  gpu.l1.replacement = gpu.l2.replacement = replacement;
  return gpu;
}

TEST(textbook, streaming_never_hits) {
  for (const configs::Replacement replacement : policies)
    expect_rates(run(with(replacement, small_gpu(4)),
                     {.ctas = 1000, .of_cta = [](std::uint64_t cta) { return sweep(8 * cta, 8); }}),
                 0, 0);
}

// 10 passes over 16 lines, which is all of L1: the first misses.
TEST(textbook, passes_over_what_fits_in_l1_hit_but_the_first) {
  for (const configs::Replacement replacement : policies)
    expect_rates(run(with(replacement, small_gpu()), {.of_cta = [](auto) { return sweep(0, 16, 10); }}), 0.9,
                 0);
}

// 10 passes over 17 lines: least recently used lines go, so L1 never hits; L2 has them from the first pass
// on.
TEST(textbook, passes_over_one_line_more_than_l1_hit_l2) {
  expect_rates(run(small_gpu(), {.of_cta = [](auto) { return sweep(0, 17, 10); }}), 0, 0.9);
}

TEST(textbook, passes_over_more_than_l2_never_hit) {
  expect_rates(run(small_gpu(), {.of_cta = [](auto) { return sweep(0, 65, 10); }}), 0, 0);
}

// 32,000 places drawn from 8 lines, all in L1 once they are there: each of 32 sectors misses once. From 32
// lines, with loads past L1: each of 128 sectors. From 256 lines L2 holds 64, and not all sectors of these.
TEST(textbook, scattered_lanes_hit_what_caches_hold_of_their_buffer) {
  const auto scattered = [](std::uint64_t lines, const std::string& load) {
    return run(small_gpu(), {.of_cta = [=](auto) { return std::vector<Access>(1000, {.reach = lines}); },
                             .operations = {load}});
  };
  expect_rates(scattered(8, "ld.global.f32"), 1 - 32 / 32000.0, 0);
  EXPECT_NEAR(scattered(32, "ld.global.cg.f32").rates.l2, 1 - 128 / 32000.0, 1e-12);
  const double of_many = scattered(256, "ld.global.cg.f32").rates.l2;
  EXPECT_LT(of_many, 0.25);
  EXPECT_GT(of_many, 0.05);
}

// Row r of 50 reads rows r - 1, r and r + 1 of 4 lines each: 3 * 50 - 2 rows are read, 50 for the first time.
// One SM with one CTA at a time: rows r and r + 1 are still in L1 when row r + 1 is computed.
TEST(textbook, a_stencil_reads_every_row_once_from_dram) {
  const auto row = [](std::uint64_t r) {
    std::vector<Access> accesses;
    for (std::uint64_t n = r == 0 ? 0 : r - 1; n <= std::min<std::uint64_t>(49, r + 1); ++n)
      for (const Access& a : sweep(4 * n, 4))
        accesses.push_back(a);
    return accesses;
  };
  expect_rates(run(small_gpu(), {.ctas = 50, .of_cta = row}), 1 - 50.0 / 148, 0);
  // On 50 SMs no L1 has seen a line before; L2 has, if all 200 lines that are read at once fit.
  configs::Gpu gpu = small_gpu(50);
  gpu.l2.bytes = 256 * line_bytes;
  expect_rates(run(gpu, {.ctas = 50, .of_cta = row}), 0, 1 - 50.0 / 148);
}

// C = A B with tiles: CTA (i, j) of 8 x 8 reads the 2 lines of A's row tile i and the 2 lines of B's column
// tile j. 64 CTAs read 4 lines each; A and B have 32 lines, which fit in L2: 32 of 256 miss.
TEST(textbook, a_tiled_matrix_product_reads_its_operands_once) {
  const auto tile = [](std::uint64_t cta) {
    std::vector<Access> accesses = sweep(2 * (cta / 8), 2);
    for (const Access& a : sweep(100 + 2 * (cta % 8), 2))
      accesses.push_back(a);
    return accesses;
  };
  expect_rates(run(small_gpu(64), {.ctas = 64, .of_cta = tile}), 0, 1 - 32.0 / 256);
  // One SM: row i's lines stay in L1 (2 + 2 * 7 more recent ones), a column's are 32 lines away.
  expect_rates(run(small_gpu(), {.ctas = 64, .of_cta = tile}), (64 * 2 - 16) / 256.0, 1 - 32.0 / (256 - 112));
}

// A walk to random lines of an array of A lines finds C / A of them in a cache of C, and takes on average
// CPMR = L1 + (L2 - L1) (1 - C / A) cycles (004, eq. 6), whichever line goes. 20,000 steps: standard error
// 0.35 %.
TEST(textbook, a_random_walk_hits_in_the_proportion_of_cache_and_array) {
  configs::Gpu gpu = small_gpu();
  gpu.l1.bytes = 256 * line_bytes;
  gpu.l1.latency = 30;
  gpu.l2.bytes = 1 << 20;
  gpu.l2.latency = 200;
  gpu.dram.latency = 400;
  std::vector<std::pair<configs::Replacement, std::uint64_t>> walks;
  for (const configs::Replacement replacement : policies)
    for (const std::uint64_t array : {128U, 256U, 320U, 512U, 1024U, 4096U})
      walks.emplace_back(replacement, array);
  for (const auto& [replacement, array] : walks) {
    gpu.l1.replacement = replacement;
    const auto walk = [array = array](auto) {
      std::vector<Access> accesses = sweep(0, array, 2); // both caches are warm
      std::uint64_t random = 1;
      for (int i = 0; i < 20'000; ++i) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        accesses.push_back({3, (random >> 33) % array});
      }
      return accesses;
    };
    const Kernel kernel{
        .of_cta = walk,
        .operations = {"ld.global.u32", "st.global.u32", "atom.global.add.u32", "ld.global.u32"}};
    const memory_model::HitRates rates = run(gpu, kernel).by_task[3];
    const double cached = std::min(1.0, 256.0 / static_cast<double>(array));
    EXPECT_NEAR(rates.l1, cached, 0.011) << array;
    EXPECT_NEAR(memory_model::average_access_cycles(rates, gpu), 30 + (200 - 30) * (1 - cached), 2) << array;
  }
}

// Both SMs read the same 8 lines: each L1 misses once per line, L2 once.
TEST(textbook, sms_share_l2_and_not_l1) {
  expect_rates(run(small_gpu(2), {.ctas = 2, .of_cta = [](auto) { return sweep(0, 8); }}), 0, 0.5);
}

TEST(textbook, l1_starts_every_launch_empty_and_l2_as_it_was_left) {
  const configs::Gpu gpu = small_gpu();
  DeviceCaches caches(gpu, {});
  const Kernel kernel{.of_cta = [](auto) { return sweep(0, 16); }};
  expect_rates(run(caches, kernel), 0, 0);
  expect_rates(run(caches, kernel), 0, 1);
}

// 1,000 lines are written once: all but the 64 that L2 holds at the end go to DRAM.
TEST(textbook, stores_reach_dram_when_l2_cannot_hold_them) {
  const auto store = [](std::uint64_t cta) { return std::vector<Access>{{1, cta}}; };
  expect_rates(run(small_gpu(), {.ctas = 1000, .of_cta = store}), 0, 0.064);
  expect_rates(run(small_gpu(), {.ctas = 60, .of_cta = store}), 0, 1);
}

} // namespace
} // namespace kerncast::hit_rates
