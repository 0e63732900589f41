// Where the rate of a run is taken to be steady, by runs that are functions of their length.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "continued_run.h"

namespace kerncast::engine {
namespace {

using Difference = std::function<double(std::uint64_t from, std::uint64_t to)>;

ContinuedRun continued(
    const std::function<double(std::uint64_t)>& cycles, bool irregular,
    const Difference& difference = [](std::uint64_t, std::uint64_t) { return 0.0; }) {
  const Run run{{.all = 128, .rest = 0, .chunk = 1, .doublings = 5},
                [&](std::uint64_t count) {
                  SmResult result;
                  result.cycles = cycles(count);
                  result.simulated_warp_instructions = count;
                  return result;
                },
                difference};
  return continue_run(run, irregular, 0.0025);
}

// 1000 for the first iteration and 10 for each of the others: samples of 1, 2 and 4 give two equal rates.
TEST(continued_run, goes_on_at_the_rate_of_the_last_half) {
  const ContinuedRun run =
      continued([](std::uint64_t n) { return 1000 + 10.0 * static_cast<double>(n - 1); }, false);
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.sampled, 4U);
  EXPECT_EQ(run.stepped, 1U + 2 + 4);
  EXPECT_EQ(run.result->cycles, 1000 + 127 * 10.0);
  EXPECT_EQ(run.result->continued.error, 0);
}

// Those after the first two are of one kind: from the third sample on what was measured stands for the rest.
TEST(continued_run, compares_what_is_left_with_what_the_rate_was_measured_of) {
  const auto cycles = [](std::uint64_t n) { return 10.0 * static_cast<double>(n); };
  const ContinuedRun run =
      continued(cycles, false, [](std::uint64_t from, std::uint64_t) { return from < 4 ? 0.5 : 0.0; });
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.sampled, 8U);
}

// A product on an RTX A6000 whose first 16 iterations cost 74.8 thousand cycles each, the later ones 83.3.
// The means since the first are equal within 0.2 % from 4 iterations on; those of the halves agree once,
// at 16.
TEST(continued_run, does_not_take_a_chance_agreement_for_a_steady_rate) {
  const auto cycles = [](std::uint64_t n) {
    constexpr double sampled[] = {369903, 451997, 593655, 892970, 1491713, 2782543};
    return sampled[std::lround(std::log2(static_cast<double>(n)))];
  };
  EXPECT_FALSE(continued(cycles, true).result);
  EXPECT_EQ(continued(cycles, true).stepped, 1U + 2 + 4 + 8 + 16 + 32);
}

} // namespace
} // namespace kerncast::engine
