// Claim: rodinia/streamcluster writes, for each point, what it would save and whether it would switch.
#include "workload.h"

namespace kerncast::functional_test::streamcluster_test {
namespace {

constexpr std::size_t points = 600, dimensions = 5, centres = 3, row = centres + 1, candidate = 77;

struct Point {
  float weight;
  std::uint64_t coordinates;
  std::int64_t centre;
  float cost;
};

std::vector<Point> random_points() {
  const auto weight = random_floats(points, 1), cost = random_floats(points, 2);
  std::vector<Point> all;
  for (std::size_t p = 0; p < points; ++p)
    all.push_back({weight[p], 0, static_cast<std::int64_t>(scrambled(static_cast<std::uint32_t>(p)) % points),
                   cost[p]});
  return all;
}

TEST(StreamCluster, SavingsOfOneMoreCentre) {
  const auto all = random_points();
  const auto coordinates = random_floats(points * dimensions, 3);
  const auto table = generated<std::int32_t>(points, [](std::uint32_t k) { return k % centres; });
  Device device;
  const Argument savings = device.buffer(std::vector<float>(points * row)),
                 switches = device.buffer(std::vector<std::uint8_t>(points));
  device.run(workload("rodinia/streamcluster", "kernel_compute_cost"), {2}, {512},
             {count(points),
              count(dimensions),
              {Argument::Kind::i64, candidate, 0, 0},
              device.buffer(all),
              count(centres),
              count(row),
              device.buffer(coordinates),
              savings,
              device.buffer(table),
              switches});

  std::vector<double> expected(points * row);
  std::vector<std::uint8_t> expected_switches(points);
  for (std::size_t p = 0; p < points; ++p) {
    double distance = 0;
    for (std::size_t d = 0; d < dimensions; ++d)
      distance += std::pow(double{coordinates[d * points + p]} - coordinates[d * points + candidate], 2);
    const double cost = distance * all[p].weight, current = all[p].cost;
    const bool nearer = cost < current;
    expected_switches[p] = nearer ? 1 : 0;
    if (nearer)
      expected[p * row + centres] = cost - current;
    else
      expected[p * row + static_cast<std::size_t>(table[static_cast<std::size_t>(all[p].centre)])] =
          current - cost;
  }
  EXPECT_EQ(device.read<std::uint8_t>(switches), expected_switches);
  // What stays is current - cost, which is negative or zero.
  expect_near(device.read<float>(savings), expected, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::streamcluster_test
