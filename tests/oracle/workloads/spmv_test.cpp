// Claim: parboil/spmv multiplies the rows of its matrix, which the tables in constant memory describe.
#include "workload.h"

namespace kerncast::functional_test::spmv_test {
namespace {

constexpr std::size_t rows = 70, diagonals = 49, warps = 4585;

// The first 70 rows, three warps, have 49 elements each. A diagonal has 32 elements of each warp whose rows,
// 49 - 49 w / 4585 long in warp w, are long enough.
std::vector<std::size_t> diagonal_begins() {
  std::vector<std::size_t> begin{0};
  for (std::size_t d = 0; d + 1 < diagonals; ++d) {
    std::size_t longer = 0;
    for (std::size_t w = 0; w < warps; ++w)
      longer += diagonals - diagonals * w / warps > d ? 1 : 0;
    begin.push_back(begin.back() + 32 * longer);
  }
  return begin;
}

TEST(SparseMatrixTimesVector, JaggedDiagonals) {
  const std::vector<std::size_t> begin = diagonal_begins();
  std::vector<float> values(begin.back() + 96);
  std::vector<std::int32_t> columns(values.size());
  std::vector<double> product(rows), expected(rows);
  const auto x = random_floats(rows, 1);
  const auto perm = generated<std::int32_t>(rows, [](std::uint32_t row) { return (row * 3 + 1) % rows; });
  for (std::size_t k = 0; k < diagonals; ++k)
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::size_t element = begin[k] + row;
      const std::uint32_t column = scrambled(row) % rows;
      values[element] = static_cast<float>(scrambled(static_cast<std::uint32_t>(element)) % 16);
      columns[element] = static_cast<std::int32_t>(column);
      product[row] += double{values[element]} * x[column];
    }
  for (std::size_t row = 0; row < rows; ++row)
    expected[static_cast<std::size_t>(perm[row])] = product[row];
  Device device;
  const Argument y = device.unknown_buffer<float>(rows);
  device.run(
      workload("parboil/spmv", "spmv_jds"), {3}, {32},
      {y, device.buffer(values), device.buffer(columns), device.buffer(perm), device.buffer(x), count(rows)});
  expect_near(device.read<float>(y), expected, 1e-5);
}

} // namespace
} // namespace kerncast::functional_test::spmv_test
