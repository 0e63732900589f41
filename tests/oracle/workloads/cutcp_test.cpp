// Claim: parboil/cutcp adds up the charges within the cutoff at every point of a region, each with the
// smoothed potential q / r (1 - r^2 / c^2)^2.
#include "workload.h"

namespace kerncast::functional_test::cutcp_test {
namespace {

constexpr int margin = 3, cubes = 1 + 2 * margin; // in each direction, the origin's in the middle
constexpr std::size_t room = 8;                   // charges of a cube
constexpr double spacing = 0.5, cutoff = 12, cube_side = 4;

// x, y, z and charge of up to 7 charges in each cube; a charge of zero ends them.
std::vector<float> charges() {
  std::vector<float> list(cubes * cubes * cubes * room * 4);
  for (std::uint32_t cube = 0; cube < cubes * cubes * cubes; ++cube)
    for (std::uint32_t c = 0; c < scrambled(cube) % room; ++c) {
      float* charge = &list[(cube * room + c) * 4];
      const int place[3] = {static_cast<int>(cube) % cubes, static_cast<int>(cube) / cubes % cubes,
                            static_cast<int>(cube) / (cubes * cubes)};
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        charge[axis] = static_cast<float>(
            (place[axis] - margin + scrambled(97 * cube + 3 * c + axis) * 0x1p-32) * cube_side);
      charge[3] = static_cast<float>(c % 2 == 0 ? 1 : -0.5);
    }
  return list;
}

double potential(const std::vector<float>& list, const double (&at)[3]) {
  double sum = 0;
  for (std::size_t c = 0; c < list.size(); c += 4) {
    if (list[c + 3] == 0)
      continue;
    double distance2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      distance2 += (list[c + axis] - at[axis]) * (list[c + axis] - at[axis]);
    const double smooth = 1 - distance2 / (cutoff * cutoff);
    if (smooth > 0)
      sum += list[c + 3] / std::sqrt(distance2) * smooth * smooth;
  }
  return sum;
}

TEST(CutoffPotential, OfOneRegion) {
  const auto list = charges();
  Device device;
  const Argument region = device.unknown_buffer<float>(512);
  Argument origin = device.buffer(list);
  origin.bits = ((margin * cubes + margin) * cubes + margin) * room * 16; // bytes
  device.run(workload("parboil/cutcp", "cuda_cutoff_potential_lattice6overlap"), {1}, {8, 2, 8},
             {count(cubes), count(cubes), origin, real(spacing), real(cutoff * cutoff),
              real(static_cast<float>(1 / (cutoff * cutoff))), region, count(0)});
  std::vector<double> expected;
  for (int point = 0; point < 512; ++point)
    expected.push_back(potential(list, {point % 8 * spacing, point / 8 % 8 * spacing, point / 64 * spacing}));
  expect_near(device.read<float>(region), expected, 1e-4);
}

} // namespace
} // namespace kerncast::functional_test::cutcp_test
