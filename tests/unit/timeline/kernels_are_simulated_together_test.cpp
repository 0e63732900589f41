// Kernels that overlap, where somebody knows when they end.
#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using Begun = std::vector<BegunKernel>;

configs::Gpu gpu_of_grids(std::uint32_t grids, double launch_overhead_us) {
  configs::Gpu gpu = test::gpu();
  gpu.resident_grids = grids;
  gpu.launch_overhead_us = launch_overhead_us;
  return gpu;
}

// A GPU that works on one kernel after the other, but for a tail of 2 us of each that the next one fills;
// what was asked of it.
struct Asked {
  std::vector<Begun> questions;
  std::size_t most = 16;
  std::size_t answers = 100;

  SimulatedTogether simulated() {
    return {[this](std::span<const BegunKernel> kernels) -> std::optional<std::vector<double>> {
              questions.emplace_back(kernels.begin(), kernels.end());
              if (questions.size() > answers)
                return std::nullopt;
              std::vector<double> ends;
              double free = 0;
              for (const BegunKernel& kernel : kernels) {
                ends.push_back(std::max(kernel.begin, free) + 10);
                free = ends.back() - 2;
              }
              return ends;
            },
            most};
  }
};

Timeline run(const std::vector<Event>& events, Asked& asked, double launch_overhead_us = 2,
             std::uint32_t grids = 128, const std::vector<KernelShare>& shares = {}) {
  return simulate_timeline(events, {10}, gpu_of_grids(grids, launch_overhead_us), shares, 100, {},
                           asked.simulated());
}

// Launched at 2 and 4: the first ends at 12, the second, which gets the GPU at 10, at 20. One after the other
// by shares: 22.
TEST(together, kernels_of_two_streams_end_as_simulated) {
  Asked asked;
  const Timeline t = run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, asked);
  EXPECT_DOUBLE_EQ(t.total_time_us, 20);
  EXPECT_DOUBLE_EQ(t.items.at(0).end, 12);
  EXPECT_TRUE(t.kernels_together);
  EXPECT_FALSE(t.kernels_shared);
  EXPECT_EQ(asked.questions, (std::vector<Begun>{{{0, 0}, {0, 2}}}));
}

TEST(together, kernels_that_do_not_overlap_are_not_asked_about) {
  Asked asked;
  const Timeline t =
      run({KernelEvent{0, 0, 1}, SyncEvent{}, KernelEvent{0, 1, 1}, KernelEvent{0, 1, 2}}, asked);
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 10 + 2 + 30);
  EXPECT_FALSE(t.kernels_together);
  EXPECT_TRUE(asked.questions.empty());
}

// The third is launched behind the first in its stream: at 12, while the second runs. It begins at 18: 28.
TEST(together, what_depends_on_one_begins_when_that_ends) {
  Asked asked;
  const Timeline t = run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}, KernelEvent{0, 0, 1}}, asked);
  EXPECT_DOUBLE_EQ(t.total_time_us, 28);
  EXPECT_EQ(asked.questions, (std::vector<Begun>{{{0, 0}, {0, 2}}, {{0, 0}, {0, 2}, {0, 10}}}));
}

TEST(together, one_question_for_all_that_begin_at_a_time) {
  Asked asked;
  const Timeline t = run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}, KernelEvent{0, 2, 1}}, asked, 0);
  EXPECT_DOUBLE_EQ(t.total_time_us, 26);
  EXPECT_EQ(asked.questions, (std::vector<Begun>{{{0, 0}, {0, 0}, {0, 0}}}));
}

// Two at a time: the third begins at 12, when the first has ended.
TEST(together, no_more_than_the_gpu_holds) {
  Asked asked;
  const Timeline t = run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}, KernelEvent{0, 2, 1}}, asked, 2, 2);
  EXPECT_EQ(asked.questions.back().back(), (BegunKernel{0, 10}));
  EXPECT_DOUBLE_EQ(t.total_time_us, 28);
}

// Three begin at 0, and two may be together. The third has room by its share and slows all of them down: half
// of the room each of 1.5 resources, 10 x 1.5.
TEST(together, shares_decide_among_more_kernels_than_may_be_simulated) {
  Asked asked{.most = 2};
  const std::vector<KernelShare> thirds{{1, 0.3, 0.5, 0.1}};
  const Timeline t =
      run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}, KernelEvent{0, 2, 1}}, asked, 0, 128, thirds);
  EXPECT_TRUE(asked.questions.empty());
  EXPECT_TRUE(t.kernels_shared);
  EXPECT_DOUBLE_EQ(t.total_time_us, 15);
}

// From 2 to 12 alone, from 4 on with another, of which nobody knows more. Both have half of the time: what is
// left at 4, 8 and 10 us, is as by shares of 0.75: the first ends at 4 + 8 x 1.5, when the second has 2 us
// left.
TEST(together, shares_decide_where_nobody_knows) {
  Asked asked{.answers = 0};
  const std::vector<KernelShare> halves{{1, 0.5, 0.75, 0.1}};
  const Timeline t = run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, asked, 2, 128, halves);
  EXPECT_DOUBLE_EQ(t.items.at(0).end, 16);
  EXPECT_DOUBLE_EQ(t.total_time_us, 18);
  EXPECT_FALSE(t.kernels_together);
  EXPECT_TRUE(t.kernels_shared);
}

// As above until 12, when a third begins behind the first and nobody knows. The second, which would end at
// 20, has done half of its 16 us: 5 of 10 us alone are left, at half the speed beside another that keeps all
// busy.
TEST(together, shares_take_over_what_is_left) {
  Asked asked{.answers = 1};
  const std::vector<KernelShare> whole{{1, 0.5, 1, 0.1}};
  const Timeline t =
      run({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}, KernelEvent{0, 0, 1}}, asked, 2, 128, whole);
  EXPECT_DOUBLE_EQ(t.items.at(1).end, 12 + 2 * 5);
  EXPECT_DOUBLE_EQ(t.total_time_us, 12 + 2 * 5 + 5);
}

// Where the GPU copies while no kernel runs, copies still do.
TEST(together, a_copy_shares_nothing_with_kernels) {
  Asked asked;
  configs::Gpu gpu = gpu_of_grids(128, 2);
  gpu.copy_engines = 0;
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1}, test::h2d(4000, 1), KernelEvent{0, 2, 1}}, {10},
                                       gpu, {}, 100, {}, asked.simulated());
  EXPECT_TRUE(asked.questions.empty());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 10 + 5 + 10);
}

} // namespace
} // namespace kerncast::timeline
