// Which share of the sectors that loads ask L2 for are of one line.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

configs::Gpu past_l1() {
  configs::Gpu gpu = small_gpu();
  gpu.l1_caches_global = false;
  return gpu;
}

const std::vector<std::string> two_loads{"ld.global.f32", "st.global.f32", "ld.global.f32"};

// Three loads a CTA: line 0, a line of its own, and by another task line 0 or, every second CTA, its own.
std::vector<Access> line_0_and_others(std::uint64_t cta) {
  return {{0, 0}, {0, 1 + cta}, {2, cta % 2 * (1 + cta)}};
}

TEST(HottestLine, isThatWhichMostLoadsRead) {
  const LaunchHits hits =
      run(past_l1(), {.ctas = 4096, .of_cta = line_0_and_others, .operations = two_loads});
  EXPECT_NEAR(hits.by_task[0].hottest, 0.5, 1e-3);
  EXPECT_NEAR(hits.by_task[2].hottest, 0.5, 1e-3);
}

TEST(HottestLine, isFoundAmongAllLinesWhereFewAreFollowed) {
  Effort effort;
  effort.sampling_shift = 4;
  const LaunchHits hits =
      run(past_l1(), {.ctas = 4096, .of_cta = line_0_and_others, .operations = two_loads}, effort);
  EXPECT_NEAR(hits.by_task[0].hottest, 0.5, 1e-3);
}

// Every 2,048 CTAs read another line.
TEST(HottestLine, isAnotherForCtasThatAreNotResidentTogether) {
  const auto one_of_eight = [](std::uint64_t cta) { return std::vector<Access>{{0, cta / 2048}}; };
  const LaunchHits hits = run(past_l1(), {.ctas = 16384, .of_cta = one_of_eight});
  EXPECT_GT(hits.by_task[0].hottest, 0.75);
}

// Whole lines, and a line of one lane each time, which has fewer sectors than they.
TEST(HottestLine, isOfSectorsAndNotOfAccesses) {
  const auto two_lines = [](std::uint64_t cta) {
    return std::vector<Access>{{0, 0, 0, cta % 2 == 0 ? UINT32_MAX : 1U}, {2, 1000, 0, 1U}};
  };
  const LaunchHits hits = run(past_l1(), {.ctas = 4096, .of_cta = two_lines, .operations = two_loads});
  EXPECT_NEAR(hits.by_task[0].hottest, 1, 1e-3);
  EXPECT_EQ(hits.by_task[2].hottest, 0);
}

TEST(HottestLine, doesNotMatterToLoadsThatAskL1) {
  const LaunchHits hits =
      run(small_gpu(), {.ctas = 64, .of_cta = line_0_and_others, .operations = two_loads});
  EXPECT_EQ(hits.by_task[0].hottest, 0);
}

// A thousand lines that are read alike: none is told from the others.
TEST(HottestLine, isNoneOfManyThatAreReadAlike) {
  const LaunchHits hits = run(past_l1(), {.ctas = 16, .of_cta = [](auto) { return sweep(0, 1000, 4); }});
  EXPECT_EQ(hits.by_task[0].hottest, 0);
}

} // namespace
} // namespace kerncast::hit_rates
