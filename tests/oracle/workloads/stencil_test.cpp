// Claim: parboil/stencil takes one Jacobi step of the inner cells and leaves the outermost ones alone.
#include "workload.h"

namespace kerncast::functional_test::stencil_test {
namespace {

TEST(Stencil, StepsTheInnerCells) {
  constexpr std::size_t nx = 128, ny = 8, nz = 5;
  const auto in = random_floats(nx * ny * nz, 1);
  const std::vector<float> before(in.size(), 9);
  Device device;
  const Argument out = device.buffer(before);
  const auto run = device.try_run(
      workload("parboil/stencil", "block2D_hybrid_coarsen_x"), {2, 2}, {32, 4},
      {real(0.5F), real(0.25F), device.buffer(in), out, count(nx), count(ny), count(nz)}, {}, 1024);
  ASSERT_TRUE(run) << render(run.error());

  std::vector<double> expected = doubles(before);
  for (std::size_t z = 1; z + 1 < nz; ++z)
    for (std::size_t y = 1; y + 1 < ny; ++y)
      for (std::size_t x = 1; x + 1 < nx; ++x) {
        const std::size_t at = (z * ny + y) * nx + x;
        double around = 0;
        for (const std::size_t apart : {std::size_t{1}, nx, nx * ny})
          around += double{in[at - apart]} + double{in[at + apart]};
        expected[at] = 0.25 * around - 0.5 * in[at];
      }
  expect_near(device.read<float>(out), expected, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::stencil_test
