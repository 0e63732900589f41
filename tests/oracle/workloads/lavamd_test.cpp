// Claim: rodinia/lavaMD adds up potentials and forces of the particles in a box and its neighbours.
#include <array>

#include "workload.h"

namespace kerncast::functional_test::lavamd_test {
namespace {

constexpr std::size_t boxes = 3, per_box = 100, max_neighbours = 26;
constexpr double alpha = 0.5;

struct Neighbour {
  std::int32_t x, y, z, number;
  std::int64_t first_particle;
};
struct Box {
  std::int32_t x, y, z, number;
  std::int64_t first_particle;
  std::int32_t neighbours;
  std::array<Neighbour, max_neighbours> neighbour;
};

// In a row: the middle one has two neighbours.
std::vector<Box> row_of_boxes() {
  std::vector<Box> row(boxes);
  for (std::size_t b = 0; b < boxes; ++b) {
    row[b].number = static_cast<std::int32_t>(b);
    row[b].first_particle = static_cast<std::int64_t>(b * per_box);
    for (std::size_t other = b == 0 ? 1 : b - 1; other < boxes && other <= b + 1; other += 2)
      row[b].neighbour[static_cast<std::size_t>(row[b].neighbours++)].number =
          static_cast<std::int32_t>(other);
  }
  return row;
}

std::vector<double> random_doubles(std::size_t elements, std::uint32_t seed) {
  return doubles(random_floats(elements, seed));
}

TEST(LavaMD, ForcesOfNeighbouringBoxes) {
  const auto row = row_of_boxes();
  const auto position = random_doubles(4 * boxes * per_box, 1), charge = random_doubles(boxes * per_box, 2);
  Device device;
  const Argument force = device.buffer(std::vector<double>(position.size()));
  device.run(workload("rodinia/lavaMD", "kernel_gpu_cuda"), {boxes}, {128},
             {{Argument::Kind::f64, std::bit_cast<std::uint64_t>(alpha), 0, 0},
              count(boxes),
              device.buffer(row),
              device.buffer(position),
              device.buffer(charge),
              force});

  std::vector<double> expected(position.size());
  for (std::size_t i = 0; i < boxes * per_box; ++i)
    for (std::size_t j = 0; j < boxes * per_box; ++j) {
      const std::size_t a = i / per_box, b = j / per_box;
      if (a + 1 < b || b + 1 < a)
        continue;
      const double *p = &position[4 * i], *q = &position[4 * j];
      const double distance = p[0] + q[0] - (p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
      const double potential = std::exp(-2 * alpha * alpha * distance);
      expected[4 * i] += charge[j] * potential;
      for (std::size_t axis = 1; axis < 4; ++axis)
        expected[4 * i + axis] += charge[j] * 2 * potential * (p[axis] - q[axis]);
    }
  const auto got = device.read<double>(force);
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 1e-10 * std::fmax(1, std::fabs(expected[k]))) << "element " << k;
}

} // namespace
} // namespace kerncast::functional_test::lavamd_test
