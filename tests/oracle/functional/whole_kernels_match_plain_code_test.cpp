// Kernels compiled from CUDA against plain C++ of the same algorithm: the same bytes.
//
// Float results are equal bit by bit too: where the compiler fused a product and a sum, so does the C++.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "device.h"

namespace kerncast::functional_test {
namespace {

const std::string basic = "apps/workloads/basic/";
const std::string rodinia = "apps/workloads/rodinia/";

TEST(WholeKernels, VectorAdd) {
  const Code code = Code::of_path(basic + "vector_add/vector_add.ptx");
  Device device;
  const auto a = random_floats(1000, 1), b = random_floats(1000, 2);
  const Argument c = device.unknown_buffer<float>(1000);
  device.run(code, {4}, {256}, {device.buffer(a), device.buffer(b), c, integer(1000)});
  std::vector<float> expected(1000);
  for (std::size_t i = 0; i < 1000; ++i)
    expected[i] = a[i] + b[i];
  EXPECT_EQ(device.read<float>(c), expected);
}

TEST(WholeKernels, Reduction) {
  const Code code = Code::of_path(basic + "reduction/reduction.ptx");
  Device device;
  const auto in = generated<std::uint32_t>(10'007, scrambled);
  const Argument sum = device.buffer(std::vector<std::uint32_t>{5});
  device.run(code, {7}, {256}, {device.buffer(in), sum, integer(10'007)});
  EXPECT_EQ(device.read<std::uint32_t>(sum)[0], std::accumulate(in.begin(), in.end(), 5U));
}

TEST(WholeKernels, Histogram) {
  const Code code = Code::of_path(basic + "histogram/histogram.ptx");
  Device device;
  const auto in = generated<std::uint8_t>(30'001, [](std::uint32_t k) { return scrambled(k) % 200; });
  const Argument bins = device.buffer(std::vector<std::uint32_t>(256));
  device.run(code, {9}, {256}, {device.buffer(in), bins, integer(30'001)});
  std::vector<std::uint32_t> expected(256);
  for (const std::uint8_t value : in)
    ++expected[value];
  EXPECT_EQ(device.read<std::uint32_t>(bins), expected);
}

// 512 bins in the shared memory of clusters of 4 CTAs, 128 bins each.
TEST(WholeKernels, HistogramInTheSharedMemoryOfClusters) {
  const Code code = Code::of_path(basic + "cluster_histogram/cluster_histogram.ptx");
  Device device;
  constexpr std::int32_t elements = 20'001, bins = 512;
  const auto in =
      generated<std::int32_t>(elements, [](std::uint32_t k) { return scrambled(k) % 400 + k % 100; });
  const Argument out = device.buffer(std::vector<std::uint32_t>(bins));
  const auto ran = device.try_run_clusters(code, {12}, {96}, {4},
                                           {device.buffer(in), out, integer(elements), integer(bins)}, 512);
  ASSERT_TRUE(ran) << render(ran.error());
  std::vector<std::uint32_t> expected(bins);
  for (const std::int32_t value : in)
    ++expected[static_cast<std::size_t>(value)];
  EXPECT_EQ(device.read<std::uint32_t>(out), expected);
}

// Rows of 0 to 40 elements.
TEST(WholeKernels, SparseMatrixTimesVector) {
  const Code code = Code::of_path(basic + "spmv/spmv.ptx");
  Device device;
  constexpr std::uint32_t rows = 1000;
  std::vector<std::int32_t> row_begin{0};
  for (std::uint32_t r = 0; r < rows; ++r)
    row_begin.push_back(row_begin.back() + static_cast<std::int32_t>(scrambled(r) % 41));
  const auto elements = static_cast<std::size_t>(row_begin.back());
  const auto column =
      generated<std::int32_t>(elements, [](std::uint32_t k) { return scrambled(k + 77) % rows; });
  const auto value = random_floats(elements, 3), x = random_floats(rows, 4);
  const Argument y = device.unknown_buffer<float>(rows);
  device.run(code, {4}, {256},
             {device.buffer(row_begin), device.buffer(column), device.buffer(value), device.buffer(x), y,
              integer(rows)});
  std::vector<float> expected(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::int32_t k = row_begin[r]; k < row_begin[r + 1]; ++k)
      expected[r] = std::fma(value[static_cast<std::size_t>(k)],
                             x[static_cast<std::size_t>(column[static_cast<std::size_t>(k)])], expected[r]);
  EXPECT_EQ(device.read<float>(y), expected);
}

TEST(WholeKernels, BreadthFirstSearchLevelByLevel) {
  const Code code = Code::of_path(basic + "bfs/bfs.ptx");
  Device device;
  constexpr std::int32_t nodes = 3000;
  const auto begin = generated<std::int32_t>(nodes + 1, [](std::uint32_t k) { return 3 * k; });
  const auto neighbour =
      generated<std::int32_t>(3 * nodes, [](std::uint32_t k) { return scrambled(k) % nodes; });
  std::vector<std::int32_t> start(nodes, -1);
  start[7] = 0;
  const Argument level = device.buffer(start), edges = device.buffer(neighbour),
                 begins = device.buffer(begin);
  std::vector<std::int32_t> expected = start;
  for (std::int32_t now = 0; now < 12; ++now) {
    const Argument changed = device.buffer(std::vector<std::int32_t>{0});
    device.run(code, {12}, {256}, {begins, edges, level, changed, integer(now), integer(nodes)});
    bool any = false;
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t e = 3 * n; expected[n] == now && e < 3 * n + 3; ++e)
        if (auto& other = expected[static_cast<std::size_t>(neighbour[e])]; other < 0) {
          other = now + 1;
          any = true;
        }
    EXPECT_EQ(device.read<std::int32_t>(level), expected) << now;
    EXPECT_EQ(device.read<std::int32_t>(changed)[0], any ? 1 : 0) << now;
  }
}

TEST(WholeKernels, PrefixSums) {
  const Code code = Code::of_path(basic + "scan/scan.ptx");
  Device device;
  constexpr std::uint32_t n = 1300;
  const auto in = generated<std::int32_t>(
      n, [](std::uint32_t k) { return static_cast<std::int32_t>(scrambled(k) % 201) - 100; });
  const Argument out = device.unknown_buffer<std::int32_t>(n),
                 totals = device.unknown_buffer<std::int32_t>(3);
  device.run(code, {3}, {512}, {device.buffer(in), out, totals, integer(n)});
  std::vector<std::int32_t> expected(n), expected_totals(3);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = expected_totals[i / 512] += in[i];
  EXPECT_EQ(device.read<std::int32_t>(out), expected);
  EXPECT_EQ(device.read<std::int32_t>(totals), expected_totals);
}

TEST(WholeKernels, TransposeOfDoubles) {
  const Code code = Code::of_path(basic + "transpose/transpose.ptx");
  Device device;
  constexpr std::uint32_t width = 70, height = 45;
  const auto in = generated<double>(width * height, [](std::uint32_t k) { return scrambled(k) * 0.37; });
  const Argument out = device.unknown_buffer<double>(width * height);
  device.run(code, {3, 2}, {32, 8}, {device.buffer(in), out, integer(width), integer(height)});
  std::vector<double> expected(width * height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      expected[x * height + y] = in[y * width + x];
  EXPECT_EQ(device.read<double>(out), expected);
}

// 20 rows at once from a halo of 20 columns: the plain form goes row by row.
TEST(WholeKernels, Pathfinder) {
  const Code code = Code::of_path(rodinia + "pathfinder/pathfinder.ptx");
  Device device;
  constexpr std::int32_t columns = 1000, rows = 21;
  const auto wall =
      generated<std::int32_t>(columns * rows, [](std::uint32_t k) { return scrambled(k) % 10; });
  const std::vector<std::int32_t> first(wall.begin(), wall.begin() + columns);
  const Argument out = device.buffer(std::vector<std::int32_t>(columns));
  device.run(code, {5}, {256},
             {integer(20), device.buffer(wall), device.buffer(first), out, integer(columns), integer(rows),
              integer(0), integer(20)});
  std::vector<std::int32_t> sums = first;
  for (std::int32_t row = 0; row < 20; ++row) {
    const std::vector<std::int32_t> before = sums;
    for (std::int32_t c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const std::int32_t left = before[at - (c > 0 ? 1 : 0)], right = before[at + (c + 1 < columns ? 1 : 0)];
      sums[at] =
          std::min(std::min(left, before[at]), right) + wall[static_cast<std::size_t>(row * columns + c)];
    }
  }
  EXPECT_EQ(device.read<std::int32_t>(out), sums);
}

TEST(WholeKernels, GaussianElimination) {
  const Code fan1 = Code::of_path(rodinia + "gaussian/gaussian.ptx", "Fan1");
  const Code fan2 = Code::of_path(rodinia + "gaussian/gaussian.ptx", "Fan2");
  Device device;
  constexpr std::size_t size = 24;
  auto matrix = random_floats(size * size, 5), right = random_floats(size, 6);
  for (std::size_t i = 0; i < size; ++i)
    matrix[i * size + i] += 10;
  std::vector<float> multipliers(size * size);
  const Argument m = device.buffer(multipliers), a = device.buffer(matrix), b = device.buffer(right);
  for (std::size_t t = 0; t + 1 < size; ++t) {
    const auto pivot = static_cast<std::int32_t>(t), n = static_cast<std::int32_t>(size);
    device.run(fan1, {1}, {32}, {m, a, integer(n), integer(pivot)});
    device.run(fan2, {6, 6}, {4, 4}, {m, a, b, integer(n), integer(n - pivot), integer(pivot)});
    for (std::size_t row = t + 1; row < size; ++row) {
      const float multiplier = multipliers[row * size + t] = matrix[row * size + t] / matrix[t * size + t];
      for (std::size_t col = t; col < size; ++col)
        matrix[row * size + col] -= multiplier * matrix[t * size + col];
      right[row] -= multiplier * right[t];
    }
  }
  EXPECT_EQ(device.read<float>(m), multipliers);
  EXPECT_EQ(device.read<float>(a), matrix);
  EXPECT_EQ(device.read<float>(b), right);
}

// Column-major 128x32 times the transpose of 16x32.
TEST(WholeKernels, MatrixProduct) {
  const Code code = Code::of_path("apps/workloads/parboil/sgemm/sgemm.ptx");
  Device device;
  constexpr std::size_t m = 128, n = 32, depth = 16;
  const auto a = random_floats(m * depth, 7), b = random_floats(n * depth, 8);
  auto expected = random_floats(m * n, 9);
  const Argument c = device.buffer(expected);
  device.run(code, {1, 2}, {16, 8},
             {device.buffer(a), integer(m), device.buffer(b), integer(n), c, integer(m), integer(depth),
              real(1.5F), real(0.25F)});
  for (std::size_t col = 0; col < n; ++col)
    for (std::size_t row = 0; row < m; ++row) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum = std::fma(a[k * m + row], b[k * n + col], sum);
      float& out = expected[col * m + row];
      out = std::fma(out, 0.25F, sum * 1.5F);
    }
  EXPECT_EQ(device.read<float>(c), expected);
}

// One step; the second differences are taken in doubles, the products fused as the compiler does.
TEST(WholeKernels, HotspotWithinTheStatedRounding) {
  const Code code = Code::of_path(rodinia + "hotspot/hotspot.ptx");
  Device device;
  constexpr std::int32_t size = 40;
  const auto power = random_floats(size * size, 10), kelvin = random_floats(size * size, 11);
  const Argument out = device.buffer(std::vector<float>(size * size));
  const float cap = 0.5F, rx = 2, ry = 4, rz = 80, step = 0.125F;
  device.run(code, {3, 3}, {16, 16},
             {integer(1), device.buffer(power), device.buffer(kelvin), out, integer(size), integer(size),
              integer(1), integer(1), real(cap), real(rx), real(ry), real(rz), real(step), real(0.001F)});
  const auto result = device.read<float>(out);
  const auto at = [&](std::int32_t y, std::int32_t x) {
    return kelvin[static_cast<std::size_t>(std::clamp(y, 0, size - 1) * size + std::clamp(x, 0, size - 1))];
  };
  for (std::int32_t y = 0; y < size; ++y)
    for (std::int32_t x = 0; x < size; ++x) {
      const double here = at(y, x);
      const double along_y = at(y + 1, x) + at(y - 1, x) - 2 * here,
                   along_x = at(y, x + 1) + at(y, x - 1) - 2 * here;
      const auto cell = static_cast<std::size_t>(y * size + x);
      const double expected =
          here + step / cap * (power[cell] + along_y / ry + along_x / rx + (80 - here) / rz);
      EXPECT_NEAR(result[cell], expected, 4e-7) << y << " " << x; // a few float roundings of values below 2
    }
}

} // namespace
} // namespace kerncast::functional_test
