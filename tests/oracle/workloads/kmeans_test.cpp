// Claim: rodinia/kmeans transposes the features, then finds the nearest of the centres in constant memory.
#include "workload.h"

namespace kerncast::functional_test::kmeans_test {
namespace {

constexpr std::size_t points = 300, features = 6, clusters = 3;

std::int32_t nearest(const std::vector<float>& of_points, const std::vector<float>& centres,
                     std::size_t point) {
  std::int32_t best = -1;
  double least = 1e30;
  for (std::size_t c = 0; c < clusters; ++c) {
    double distance = 0;
    for (std::size_t f = 0; f < features; ++f)
      distance += std::pow(double{of_points[point * features + f]} - centres[c * features + f], 2);
    if (distance < least) {
      least = distance;
      best = static_cast<std::int32_t>(c);
    }
  }
  return best;
}

TEST(KMeans, AssignsPointsToTheNearestCentre) {
  const auto of_points = random_floats(points * features, 1), centres = random_floats(clusters * features, 2);
  Device device;
  const Argument by_feature = device.unknown_buffer<float>(points * features),
                 membership = device.unknown_buffer<std::int32_t>(points),
                 unused = device.unknown_buffer<float>(1);
  device.run(workload("rodinia/kmeans", "invert_mapping"), {2}, {256},
             {device.buffer(of_points), by_feature, count(points), count(features)});
  device.run(
      workload_with({{"c_clusters", centres}}, "rodinia/kmeans", "kmeansPoint"), {1, 2}, {256},
      {by_feature, count(features), count(points), count(clusters), membership, unused, unused, unused});

  std::vector<float> transposed(points * features);
  std::vector<std::int32_t> expected(points);
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t f = 0; f < features; ++f)
      transposed[f * points + p] = of_points[p * features + f];
    expected[p] = nearest(of_points, centres, p);
  }
  EXPECT_EQ(device.read<float>(by_feature), transposed);
  EXPECT_EQ(device.read<std::int32_t>(membership), expected);
}

} // namespace
} // namespace kerncast::functional_test::kmeans_test
