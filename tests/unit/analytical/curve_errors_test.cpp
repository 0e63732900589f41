// Claims: MAPE and shape MAPE (paper 003, section 6.3) of curves whose errors are known.
#include <gtest/gtest.h>

#include <vector>

#include "analytical/curve_error.h"

namespace kerncast::analytical {
namespace {

const std::vector<double> warps = {1, 2, 3, 4};
const std::vector<double> real = {10, 20, 40, 40};

TEST(Mape, of_equal_curves_is_zero) {
  EXPECT_EQ(mape({warps, real, real}), 0);
  EXPECT_EQ(shape_mape({warps, real, real}), 0);
}

// |12 - 10| / 10, |18 - 20| / 20, 0 and |50 - 40| / 40: (20 + 10 + 0 + 25) / 4 per cent.
TEST(Mape, is_the_mean_over_all_occupancies) {
  const std::vector<double> model = {12, 18, 40, 50};
  EXPECT_DOUBLE_EQ(mape({warps, model, real}), 13.75);
}

// 5 too much everywhere: (50 + 25 + 12.5 + 12.5) / 4 per cent, but the shape is right.
TEST(ShapeMape, forgives_a_constant_offset) {
  const std::vector<double> model = {15, 25, 45, 45};
  EXPECT_DOUBLE_EQ(mape({warps, model, real}), 25);
  EXPECT_NEAR(shape_mape({warps, model, real}), 0, 1e-12);
}

// 1 too much per warp.
TEST(ShapeMape, forgives_a_constant_drift) {
  const std::vector<double> model = {11, 22, 43, 44};
  EXPECT_DOUBLE_EQ(mape({warps, model, real}), (10 + 10 + 7.5 + 10) / 4);
  EXPECT_NEAR(shape_mape({warps, model, real}), 0, 1e-12);
}

// Differences 0, 2, 2, 0 lie 1 off their best line, which is flat at 1: (1/10 + 1/20 + 1/40 + 1/40) / 4.
TEST(ShapeMape, counts_what_a_line_leaves) {
  const std::vector<double> model = {10, 22, 42, 40};
  EXPECT_NEAR(shape_mape({warps, model, real}), 100 * (0.1 + 0.05 + 0.025 + 0.025) / 4, 1e-12);
}

TEST(ShapeMape, of_one_occupancy_is_zero) {
  const std::vector<double> one = {4};
  const std::vector<double> model = {30};
  EXPECT_EQ(shape_mape({one, model, one}), 0);
}

} // namespace
} // namespace kerncast::analytical
