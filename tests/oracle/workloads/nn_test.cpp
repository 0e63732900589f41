// Claim: rodinia/nn writes the Euclidean distance of every record, and none beyond the last.
#include "workload.h"

namespace kerncast::functional_test::nn_test {
namespace {

TEST(NearestNeighbours, Distances) {
  constexpr std::size_t records = 300;
  const auto places = random_floats(2 * records, 1); // latitude and longitude of each
  Device device;
  const Argument distances = device.buffer(std::vector<float>(records + 20, -1));
  device.run(workload("rodinia/nn", "euclid"), {2}, {256},
             {device.buffer(places), distances, count(records), real(0.25F), real(2)});
  std::vector<double> expected(records + 20, -1);
  for (std::size_t r = 0; r < records; ++r)
    expected[r] = std::hypot(0.25 - places[2 * r], 2.0 - places[2 * r + 1]);
  expect_near(device.read<float>(distances), expected, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::nn_test
