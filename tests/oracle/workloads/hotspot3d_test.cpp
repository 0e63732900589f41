// Claim: rodinia/hotspot3D takes one explicit step of all layers; beyond the outside lies the cell itself.
#include <algorithm>

#include "workload.h"

namespace kerncast::functional_test::hotspot3d_test {
namespace {

constexpr std::int32_t nx = 64, ny = 8, nz = 5;

std::size_t cell(std::int32_t z, std::int32_t y, std::int32_t x) {
  return static_cast<std::size_t>((std::clamp(z, 0, nz - 1) * ny + std::clamp(y, 0, ny - 1)) * nx +
                                  std::clamp(x, 0, nx - 1));
}

TEST(Hotspot3D, StepsAllLayers) {
  const auto power = random_floats(nx * ny * nz, 1), in = random_floats(nx * ny * nz, 2);
  Device device;
  const Argument out = device.unknown_buffer<float>(in.size());
  const float step = 0.5F, east = 0.1F, west = 0.2F, north = 0.3F, south = 0.4F, top = 0.01F, bottom = 0.02F,
              centre = 0.7F;
  device.run(workload("rodinia/hotspot3D", "hotspotOpt1"), {1, 2}, {64, 4},
             {device.buffer(power), device.buffer(in), out, real(step), integer(nx), integer(ny), integer(nz),
              real(east), real(west), real(north), real(south), real(top), real(bottom), real(centre)});
  std::vector<double> expected(in.size());
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y)
      for (std::int32_t x = 0; x < nx; ++x) {
        const auto at = [&](std::int32_t dz, std::int32_t dy, std::int32_t dx) {
          return double{in[cell(z + dz, y + dy, x + dx)]};
        };
        expected[cell(z, y, x)] = centre * at(0, 0, 0) + west * at(0, 0, -1) + east * at(0, 0, 1) +
                                  north * at(0, -1, 0) + south * at(0, 1, 0) + bottom * at(-1, 0, 0) +
                                  top * at(1, 0, 0) + step * double{power[cell(z, y, x)]} + top * 80.0;
      }
  expect_near(device.read<float>(out), expected, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::hotspot3d_test
