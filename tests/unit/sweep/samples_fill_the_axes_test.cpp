// Samples lie where their methods promise, and always in the same places.
#include <algorithm>

#include <gtest/gtest.h>

#include "sweep/sampling.h"

namespace kerncast::sweep::test {
namespace {

// How many of the points lie in each of as many equal intervals of an axis as there are points.
std::vector<int> counts(const std::vector<Coordinates>& points, std::size_t axis) {
  std::vector<int> in_interval(points.size());
  for (const Coordinates& point : points)
    ++in_interval[static_cast<std::size_t>(point[axis] * static_cast<double>(points.size()))];
  return in_interval;
}

TEST(Samples, EveryIntervalOfALatinHypercubeHasOnePoint) {
  const auto points = latin_hypercube(5, 97, 3);
  for (std::size_t axis = 0; axis < 5; ++axis)
    EXPECT_EQ(counts(points, axis), std::vector<int>(97, 1)) << axis;
}

TEST(Samples, EveryIntervalOfSobolsPointsHasOnePointOnEveryAxis) {
  for (const std::uint64_t seed : {0U, 1U, 77U}) {
    const auto points = sobol(most_sobol_axes, 256, seed);
    for (std::size_t axis = 0; axis < most_sobol_axes; ++axis)
      EXPECT_EQ(counts(points, axis), std::vector<int>(256, 1)) << axis << " of seed " << seed;
  }
}

// The first points of the sequence, as its authors publish them: 0, 1/2, then 3/4 and 1/4.
TEST(Samples, SobolsSequenceBeginsAsPublished) {
  const auto points = sobol(3, 4, 0);
  EXPECT_EQ(points[0], (Coordinates{0, 0, 0}));
  EXPECT_EQ(points[1], (Coordinates{0.5, 0.5, 0.5}));
  EXPECT_EQ(points[2], (Coordinates{0.75, 0.25, 0.25}));
  EXPECT_EQ(points[3], (Coordinates{0.25, 0.75, 0.75}));
}

TEST(Samples, SeedsDiffer) {
  EXPECT_NE(latin_hypercube(2, 16, 1), latin_hypercube(2, 16, 2));
  EXPECT_NE(sobol(2, 16, 1), sobol(2, 16, 2));
  EXPECT_EQ(latin_hypercube(2, 16, 1), latin_hypercube(2, 16, 1));
}

TEST(Samples, GeometricStepsMultiply) {
  EXPECT_EQ(between_geometrically(2, 32, 0), 2);
  EXPECT_EQ(between_geometrically(2, 32, 0.25), 4); // 2 * 16^(1/4)
  EXPECT_EQ(between_geometrically(2, 32, 0.5), 8);
  EXPECT_EQ(between_geometrically(2, 32, 1), 32);
  EXPECT_NEAR(between_geometrically(1, 8, 1.0 / 3), 2, 1e-13);
  EXPECT_NEAR(between_geometrically(8, 1, 1.0 / 3), 4, 1e-13);
}

} // namespace
} // namespace kerncast::sweep::test
