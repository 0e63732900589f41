#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "statistics/interpolation.h"

namespace kerncast::statistics {
namespace {

using testing::ElementsAre;

TEST(SpreadPoints, AreTheFarthestFromThoseBefore) {
  const std::vector<Point> line{{0}, {0.1}, {0.4}, {0.9}, {1}};
  // From 0.1 the farthest is 1 (0.9 away), then 0.4 (0.3 from 0.1), then 0 and 0.9 (0.1 from 0.1 and 1): the
  // first.
  EXPECT_THAT(spread_points(line, 4, 1), ElementsAre(1, 4, 2, 0));
}

TEST(SpreadPoints, EndWhereAllOthersRepeatThem) {
  const std::vector<Point> two{{0, 1}, {1, 0}, {0, 1}, {1, 0}};
  EXPECT_THAT(spread_points(two, 4, 0), ElementsAre(0, 1));
}

TEST(NearestPoints, AreTheFirstOfSeveral) {
  const std::vector<Point> points{{0, 0}, {3, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(nearest_point(points, {1, 1}), 2U); // 2, 5, 1 and 1 away, squared
  EXPECT_EQ(nearest_point(points, {9, 0}), 1U);
}

TEST(NormalisedPoints, ReachFromZeroToOne) {
  std::vector<Point> points{{2, 5}, {6, 5}, {3, 5}};
  normalise(points);
  EXPECT_THAT(points, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0), ElementsAre(0.25, 0)));
}

TEST(Interpolations, KeepKnownValues) {
  const Interpolation of({{0}, {0.5}, {1}}, {3, 8, 1});
  EXPECT_EQ(of.at({0}), 3);
  EXPECT_EQ(of.at({0.5}), 8);
  EXPECT_EQ(of.at({1}), 1);
}

TEST(Interpolations, FollowAPlane) {
  // 1 + 2 x + 3 y
  const Interpolation of({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {1, 3, 4, 6});
  EXPECT_NEAR(of.at({0.5, 0.25}), 2.75, 1e-4);
  EXPECT_NEAR(of.at({0.1, 0.9}), 3.9, 1e-4);
}

TEST(Interpolations, TakeFromTheNearestWhatIsBesideTheTrend) {
  // The trend through 0, 0, 3, 3 at 0, 1/3, 2/3, 1 has the slope 3.6 and the mean 1.5: at 0.35 it is 0.96,
  // and beside it lie 0.3, -0.9, 0.9 and -0.3 with weights 1 / distance^4 of 66.6, 12,960,000, 99.3 and 5.6.
  const Interpolation of({{0}, {1 / 3.0}, {2 / 3.0}, {1}}, {0, 0, 3, 3});
  EXPECT_NEAR(of.at({0.35}), 0.96 - 0.9, 1e-3);
}

TEST(Interpolations, OfOnePointAreItsValue) {
  const Interpolation of({{0.5, 0.5}}, {7});
  EXPECT_NEAR(of.at({0, 1}), 7, 1e-9);
}

TEST(Interpolations, GoNoFurtherThanHalfTheRangeBeyond) {
  const Interpolation of({{0}, {0.1}}, {0, 1});
  EXPECT_EQ(of.at({1}), 1.5);
}

TEST(LeftOutValues, AreThoseOfTheOthers) {
  // On a straight line the others say what is left out, up to half of their range beyond them: at 0 the line
  // through (0.5, 2) and (1, 3) has 1, but 1.5 is the least.
  EXPECT_THAT(left_out_values({{0}, {0.5}, {1}}, {1, 2, 3}),
              ElementsAre(testing::DoubleNear(1.5, 1e-4), testing::DoubleNear(2, 1e-4),
                          testing::DoubleNear(2.5, 1e-4)));
}

} // namespace
} // namespace kerncast::statistics
