// Claims: errors of predictions as worked out by hand; what has no error is refused with its row.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "statistics/errors.h"

namespace kerncast::statistics {
namespace {

// Errors +10, -20, 0, +50 per cent.
const std::vector<Pair> four = {{10, 11}, {20, 16}, {5, 5}, {4, 6}};

TEST(Errors, of_four_rows) {
  const Errors e = errors_of(four).value();
  EXPECT_EQ(e.rows, 4U);
  EXPECT_DOUBLE_EQ(e.mape, (10 + 20 + 0 + 50) / 4.0);
  EXPECT_DOUBLE_EQ(e.median, (10 + 20) / 2.0); // sizes 0 10 20 50
  EXPECT_DOUBLE_EQ(e.p90, 50);                 // number ceil(3.6) = 4
  EXPECT_DOUBLE_EQ(e.worst, 50);
  EXPECT_EQ(e.worst_row, 3U);
  EXPECT_DOUBLE_EQ(e.bias, (10 - 20 + 0 + 50) / 4.0);
}

// Of ten rows the ninth in order is the 90th percentile, of eleven the tenth (9.9 rounded up).
TEST(Errors, ninetieth_percentile_is_the_nearest_rank) {
  std::vector<Pair> rows;
  for (int i = 1; i <= 10; ++i)
    rows.push_back({100, 100.0 + i});
  EXPECT_DOUBLE_EQ(errors_of(rows)->p90, 9);
  rows.push_back({100, 111});
  EXPECT_DOUBLE_EQ(errors_of(rows)->p90, 10);
  EXPECT_DOUBLE_EQ(errors_of(rows)->median, 6);
}

TEST(Errors, of_one_row) {
  const Errors e = errors_of(std::vector<Pair>{{8, 6}}).value();
  EXPECT_DOUBLE_EQ(e.mape, 25);
  EXPECT_DOUBLE_EQ(e.median, 25);
  EXPECT_DOUBLE_EQ(e.p90, 25);
  EXPECT_DOUBLE_EQ(e.worst, 25);
  EXPECT_DOUBLE_EQ(e.bias, -25);
  EXPECT_FALSE(e.spearman);
  EXPECT_FALSE(e.kendall);
}

// Of ties the first row is the worst one; predictions that never change rank nothing.
TEST(Errors, of_constant_predictions) {
  const Errors e = errors_of(std::vector<Pair>{{4, 5}, {4, 5}, {5, 5}}).value();
  EXPECT_EQ(e.worst_row, 0U);
  EXPECT_DOUBLE_EQ(e.mape, 50.0 / 3);
  EXPECT_FALSE(e.spearman);
}

// Hit rates of 0.5 and 0 predicted as 0.58 and 0.02: 8 and 2 points too much.
TEST(Errors, of_rates_are_points) {
  const Errors e = errors_of(std::vector<Pair>{{0.5, 0.58}, {0, 0.02}}, Scale::points).value();
  EXPECT_NEAR(e.mape, 5, 1e-12);
  EXPECT_NEAR(e.worst, 8, 1e-12);
  EXPECT_NEAR(e.bias, 5, 1e-12);
}

TEST(Errors, need_rows) { EXPECT_EQ(errors_of({}).error()[0].message, "no rows, so no errors"); }

TEST(Errors, refuse_what_has_none) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Pair> rows = {{0, 1}, {1, 1}, {1, nan}, {inf, 1}, {-2, 1}};
  const Expected<Errors> e = errors_of(rows);
  ASSERT_FALSE(e);
  ASSERT_EQ(e.error().size(), 4U);
  EXPECT_EQ(e.error()[0].message, "row 1: measured 0: there is no error relative to it");
  EXPECT_EQ(e.error()[1].message, "row 3: measured 1, predicted nan: not finite numbers");
  EXPECT_EQ(e.error()[2].message, "row 4: measured inf, predicted 1: not finite numbers");
  EXPECT_EQ(e.error()[3].message, "row 5: measured -2: there is no error relative to it");
}

} // namespace
} // namespace kerncast::statistics
