// Independent errors add in squares, each side by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/uncertainty.h"

namespace kerncast::engine {
namespace {

// Standard errors upwards of a share of the prediction.
double error_of(double share) { return (share - 1) / interval_deviations; }

TEST(interval, of_nothing_uncertain_is_the_models_own) {
  const Interval interval = interval_of({});
  EXPECT_NEAR(error_of(interval.high), model_error, 1e-12);
  EXPECT_NEAR(error_of(1 / interval.low), model_error, 1e-12);
  ASSERT_EQ(interval.sources.size(), 1U);
  EXPECT_EQ(interval.sources[0].source, "model");
}

TEST(interval, adds_squares_and_names_the_largest_first) {
  const Effect effects[] = {{"a", true, 1, 1.03}, {"b", true, 1, 1.04}};
  const Interval interval = interval_of(effects);
  const double all = std::sqrt(model_error * model_error + 0.03 * 0.03 + 0.04 * 0.04);
  EXPECT_NEAR(error_of(interval.high), all, 1e-12);
  EXPECT_NEAR(error_of(1 / interval.low), all, 1e-12);
  ASSERT_EQ(interval.sources.size(), 3U);
  EXPECT_EQ(interval.sources[1].source, "b");
  EXPECT_NEAR(interval.sources[1].slower, interval_deviations * 0.04, 1e-12);
}

// One plan to each side: fewer registers make it 25 % faster, more 10 % slower.
TEST(interval, keeps_sides_apart_that_are_simulated_apart) {
  const Effect effects[] = {{"registers", false, 1, 1.1}, {"registers", false, 1, 0.8}};
  const Interval interval = interval_of(effects);
  EXPECT_NEAR(error_of(interval.high), std::sqrt(model_error * model_error + 0.1 * 0.1), 1e-12);
  EXPECT_NEAR(error_of(1 / interval.low), std::sqrt(model_error * model_error + 0.25 * 0.25), 1e-12);
  EXPECT_EQ(interval.sources.size(), 2U);
}

// Two plans that are both slower say nothing about the other side.
TEST(interval, takes_the_worse_of_two_on_one_side) {
  const Effect effects[] = {{"hit rates", false, 1, 1.1}, {"hit rates", false, 1, 1.2}};
  const Interval interval = interval_of(effects);
  EXPECT_NEAR(error_of(interval.high), std::sqrt(model_error * model_error + 0.2 * 0.2), 1e-12);
  EXPECT_NEAR(error_of(1 / interval.low), model_error, 1e-12);
}

// A plan as far off as the interval is to reach: alone it is the interval's end.
TEST(interval, reaches_what_is_at_its_bound) {
  const Effect effects[] = {{"slow paths of divisions", false, interval_deviations, 2.0}};
  const Interval interval = interval_of(effects);
  EXPECT_NEAR(interval.sources[0].source == "model" ? interval.sources[1].slower : 0, 1, 1e-12);
  EXPECT_GE(interval.high, 2);
  EXPECT_LT(interval.high, 2.02);
}

} // namespace
} // namespace kerncast::engine
