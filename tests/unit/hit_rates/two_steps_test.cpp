// What L1s let through of each launch, found by itself, gives L2s the hits that the launches have one after
// the other.
#include <memory>

#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

struct Launched {
  explicit Launched(const Kernel& kernel)
      : source(kernel.of_cta), list(list_of(kernel.operations)), ctas_per_sm(kernel.ctas_per_sm) {
    launch.grid.x = static_cast<std::uint32_t>(kernel.ctas);
    launch.block.x = tasklist::lanes_per_warp;
  }
  LaunchAccesses accesses() { return {source, list, launch, ctas_per_sm}; }

  SyntheticSource source;
  tasklist::Tasklist list;
  tasklist::Launch launch;
  std::uint32_t ctas_per_sm;
};

void expect_equal(const LaunchHits& a, const LaunchHits& b) {
  EXPECT_EQ(a.rates, b.rates);
  EXPECT_EQ(a.by_task, b.by_task);
  EXPECT_EQ(a.notes, b.notes);
}

// Loads, stores, atomics and lanes anywhere, backwards too, of lines that the launch before left in L2.
Kernel kernel_at(std::uint64_t first, std::uint64_t ctas) {
  return {.ctas = ctas, .of_cta = [first](std::uint64_t cta) {
            std::vector<Access> accesses = sweep(first + 4 * cta, 6, 2);
            accesses.push_back({1, first + 3 * cta});
            accesses.push_back({2, first + cta / 2});
            accesses.push_back({0, first, 40});
            return accesses;
          }};
}

void expect_the_same_in_two_steps(const Effort& effort, std::size_t notes) {
  const configs::Gpu gpu = small_gpu(4);
  std::vector<configs::Cache> l2s(3, gpu.l2);
  l2s[1].bytes *= 2;
  l2s[2].line_bytes = line_bytes / 2;
  DeviceCaches together(gpu, effort, l2s), second(gpu, effort, l2s);
  double l2_hits = 0;
  for (const std::uint64_t first : {0U, 32U, 8U}) {
    Launched launch(kernel_at(first, 40)), same(kernel_at(first, 40));
    DeviceCaches alone(gpu, effort, {}); // knows no other launch
    const std::vector<LaunchHits> expected = together.run_with_each_l2(launch.accesses());
    const std::vector<LaunchHits> found = second.run_past_l1(alone.past_l1(same.accesses()));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      expect_equal(found[i], expected[i]);
    EXPECT_NE(expected[0].rates.l2, expected[1].rates.l2);
    EXPECT_EQ(expected[0].notes.size(), notes);
    l2_hits += expected[0].rates.l2;
  }
  EXPECT_GT(l2_hits, 0);
}

TEST(two_steps, give_the_same_hits) { expect_the_same_in_two_steps({}, 0); }

TEST(two_steps, give_the_same_hits_where_lines_are_sampled) {
  expect_the_same_in_two_steps({.sampling_shift = 1}, 1);
}

TEST(two_steps, give_the_same_hits_where_the_start_and_the_end_stand_for_the_launch) {
  expect_the_same_in_two_steps({.lines_per_launch = 400}, 1);
}

} // namespace
} // namespace kerncast::hit_rates
