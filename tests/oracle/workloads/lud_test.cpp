// Claim: the launches of rodinia/lud leave L and U of the matrix in its place.
#include "workload.h"

namespace kerncast::functional_test::lud_test {
namespace {

TEST(LuDecomposition, ThreeBlocksOnASide) {
  constexpr std::size_t size = 48, side = 16;
  auto matrix = random_floats(size * size, 1);
  for (std::size_t i = 0; i < size; ++i)
    matrix[i * size + i] += 20; // no pivoting needed
  Device device;
  const Argument m = device.buffer(matrix);
  const Code diagonal = workload("rodinia/lud", "lud_diagonal");
  const Code perimeter = workload("rodinia/lud", "lud_perimeter");
  const Code internal = workload("rodinia/lud", "lud_internal");
  for (std::uint32_t offset = 0; offset < size; offset += side) {
    const auto blocks = static_cast<std::uint32_t>((size - offset) / side - 1);
    device.run(diagonal, {1}, {16}, {m, count(size), count(offset)});
    if (blocks > 0) {
      device.run(perimeter, {blocks}, {32}, {m, count(size), count(offset)});
      device.run(internal, {blocks, blocks}, {16, 16}, {m, count(size), count(offset)});
    }
  }

  std::vector<double> expected = doubles(matrix);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = expected[i * size + k] /= expected[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j)
        expected[i * size + j] -= factor * expected[k * size + j];
    }
  expect_near(device.read<float>(m), expected, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::lud_test
