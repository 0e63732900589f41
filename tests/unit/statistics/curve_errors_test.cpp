// Claims: MAPE and shape MAPE (paper 003, section 6.3) of curves whose errors are known.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "statistics/curve_error.h"

namespace kerncast::statistics {
namespace {

const std::vector<double> warps = {1, 2, 3, 4};
const std::vector<double> real = {10, 20, 40, 40};

CurveErrors errors_of_curve(const std::vector<double>& model) {
  return curve_errors({warps, model, real}).value();
}

TEST(Mape, of_equal_curves_is_zero) {
  EXPECT_EQ(errors_of_curve(real).mape, 0);
  EXPECT_EQ(errors_of_curve(real).shape_mape, 0);
}

// |12 - 10| / 10, |18 - 20| / 20, 0 and |50 - 40| / 40: (20 + 10 + 0 + 25) / 4 per cent.
TEST(Mape, is_the_mean_over_all_occupancies) {
  EXPECT_DOUBLE_EQ(errors_of_curve({12, 18, 40, 50}).mape, 13.75);
}

// 5 too much everywhere: (50 + 25 + 12.5 + 12.5) / 4 per cent, but the shape is right.
TEST(ShapeMape, forgives_a_constant_offset) {
  EXPECT_DOUBLE_EQ(errors_of_curve({15, 25, 45, 45}).mape, 25);
  EXPECT_NEAR(errors_of_curve({15, 25, 45, 45}).shape_mape, 0, 1e-12);
}

// 1 too much per warp.
TEST(ShapeMape, forgives_a_constant_drift) {
  EXPECT_DOUBLE_EQ(errors_of_curve({11, 22, 43, 44}).mape, (10 + 10 + 7.5 + 10) / 4);
  EXPECT_NEAR(errors_of_curve({11, 22, 43, 44}).shape_mape, 0, 1e-12);
}

// Differences 0, 2, 2, 0 lie 1 off their best line, which is flat at 1: (1/10 + 1/20 + 1/40 + 1/40) / 4.
TEST(ShapeMape, counts_what_a_line_leaves) {
  EXPECT_NEAR(errors_of_curve({10, 22, 42, 40}).shape_mape, 100 * (0.1 + 0.05 + 0.025 + 0.025) / 4, 1e-12);
}

// 26 of 4 too much, which an offset takes away.
TEST(ShapeMape, of_one_occupancy_is_zero) {
  const std::vector<double> one = {4};
  const std::vector<double> model = {30};
  const CurveErrors errors = curve_errors({one, model, one}).value();
  EXPECT_EQ(errors.mape, 650);
  EXPECT_EQ(errors.shape_mape, 0);
}

// A line fits a constant difference of 0 from a constant curve.
TEST(ShapeMape, of_constant_curves_is_zero) {
  const std::vector<double> flat = {5, 5, 5, 5};
  const std::vector<double> model = {6, 6, 6, 6};
  const CurveErrors errors = curve_errors({warps, model, flat}).value();
  EXPECT_DOUBLE_EQ(errors.mape, 20);
  EXPECT_NEAR(errors.shape_mape, 0, 1e-12);
}

TEST(CurveErrors, are_refused_where_there_are_none) {
  EXPECT_EQ(curve_errors({}).error()[0].message, "a curve without points has no error");
  const std::vector<double> zero = {10, 0, 40, 40};
  EXPECT_EQ(curve_errors({warps, real, zero}).error()[0].message,
            "point 2: 2 warps, model 20, measured 0: not a point of a curve");
  const std::vector<double> unknown = {10, 20, std::numeric_limits<double>::quiet_NaN(), 40};
  EXPECT_EQ(curve_errors({warps, unknown, real}).error()[0].message,
            "point 3: 3 warps, model nan, measured 40: not a point of a curve");
}

} // namespace
} // namespace kerncast::statistics
