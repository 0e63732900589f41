// Medians and their confidence intervals.
#include "probe/samples.h"

#include <numeric>

#include <gtest/gtest.h>

namespace kerncast::probe {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> samples(n);
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST(samples, the_median_is_the_middle_one_or_between_two) {
  EXPECT_EQ(median_of({3, 1, 2}).value, 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}).value, 2.5);
}

// Tables of confidence intervals for medians: of 25 samples the 8th to the 18th, of 10 the 2nd to the 9th, of
// 6 the extremes.
TEST(samples, bounds_are_order_statistics) {
  EXPECT_EQ(median_of(one_to(25)).low, 8);
  EXPECT_EQ(median_of(one_to(25)).high, 18);
  EXPECT_EQ(median_of(one_to(10)).low, 2);
  EXPECT_EQ(median_of(one_to(10)).high, 9);
  EXPECT_EQ(median_of(one_to(6)).low, 1);
  EXPECT_EQ(median_of(one_to(1)).high, 1);
}

TEST(samples, one_outlier_moves_neither_median_nor_bounds) {
  std::vector<double> samples = one_to(25);
  samples.back() = 1e6;
  EXPECT_EQ(median_of(samples).value, 13);
  EXPECT_EQ(median_of(samples).high, 18);
}

// 1000 - 200 over 8 steps; bounds 3 and 4 away are 5 away together.
TEST(samples, errors_of_a_difference_add_as_independent_ones) {
  const Median found = difference({1000, 997, 1003, 25}, {200, 196, 204, 20}, 8);
  EXPECT_EQ(found.value, 100);
  EXPECT_EQ(found.low, 100 - 5.0 / 8);
  EXPECT_EQ(found.high, 100 + 5.0 / 8);
  EXPECT_EQ(found.samples, 20U);
}

TEST(samples, bounds_stay_in_order_when_inverted) {
  const Median rate = inverse({4, 2, 5, 9}, 20);
  EXPECT_EQ(rate.value, 5);
  EXPECT_EQ(rate.low, 4);
  EXPECT_EQ(rate.high, 10);
}

// The bounds of a normal distribution lie 1.96 standard errors away.
TEST(samples, a_standard_error_follows_from_the_bounds) {
  EXPECT_NEAR((Median{100, 100 - 1.96, 100 + 1.96, 25}.relative_error()), 0.01, 1e-12);
}

} // namespace
} // namespace kerncast::probe
