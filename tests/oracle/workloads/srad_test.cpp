// Claim: rodinia/srad_v1 and srad_v2 compute derivatives, coefficients and steps of the same diffusion, and
// srad_v1's reductions add up all pixels.
#include <algorithm>
#include <numeric>

#include "workload.h"

namespace kerncast::functional_test::srad_test {
namespace {

struct Image {
  std::int32_t rows, cols;
  bool by_columns; // how cells follow each other

  std::size_t cells() const { return static_cast<std::size_t>(rows * cols); }
  std::size_t cell(std::int32_t row, std::int32_t col) const {
    row = std::clamp(row, 0, rows - 1);
    col = std::clamp(col, 0, cols - 1);
    return static_cast<std::size_t>(by_columns ? col * rows + row : row * cols + col);
  }
};

struct Diffusion {
  std::vector<double> north, south, east, west, coefficient, image;
};

constexpr double speckle_scale = 0.25, lambda = 0.5;

Diffusion diffuse(const Image& of, const std::vector<float>& pixels) {
  const std::vector<double> none(of.cells());
  Diffusion d{none, none, none, none, none, doubles(pixels)};
  for (std::int32_t row = 0; row < of.rows; ++row)
    for (std::int32_t col = 0; col < of.cols; ++col) {
      const std::size_t at = of.cell(row, col);
      const double here = pixels[at];
      const double n = d.north[at] = pixels[of.cell(row - 1, col)] - here;
      const double s = d.south[at] = pixels[of.cell(row + 1, col)] - here;
      const double w = d.west[at] = pixels[of.cell(row, col - 1)] - here;
      const double e = d.east[at] = pixels[of.cell(row, col + 1)] - here;
      const double gradient = (n * n + s * s + w * w + e * e) / (here * here);
      const double laplacian = (n + s + w + e) / here;
      const double variation =
          (0.5 * gradient - laplacian * laplacian / 16) / std::pow(1 + 0.25 * laplacian, 2);
      const double excess = (variation - speckle_scale) / (speckle_scale * (1 + speckle_scale));
      d.coefficient[at] = std::clamp(1 / (1 + excess), 0.0, 1.0);
    }
  for (std::int32_t row = 0; row < of.rows; ++row)
    for (std::int32_t col = 0; col < of.cols; ++col) {
      const std::size_t at = of.cell(row, col);
      const auto coefficient = [&](std::int32_t r, std::int32_t c) { return d.coefficient[of.cell(r, c)]; };
      d.image[at] += 0.25 * lambda *
                     (coefficient(row, col) * (d.north[at] + d.west[at]) +
                      coefficient(row + 1, col) * d.south[at] + coefficient(row, col + 1) * d.east[at]);
    }
  return d;
}

// Far enough from zero that nothing cancels.
std::vector<float> pixels_of(const Image& image) {
  auto pixels = random_floats(image.cells(), 1);
  for (float& p : pixels)
    p += 1;
  return pixels;
}

Argument long_integer(std::size_t value) { return {Argument::Kind::i64, value, 0, 0}; }

std::vector<std::int32_t> neighbours(std::int32_t count, std::int32_t apart) {
  return generated<std::int32_t>(static_cast<std::size_t>(count), [&](std::uint32_t k) {
    return std::clamp(static_cast<std::int32_t>(k) + apart, 0, count - 1);
  });
}

TEST(Srad, VersionOneDiffuses) {
  const Image of{23, 30, true};
  const auto pixels = pixels_of(of);
  Device device;
  const auto derivative = [&] { return device.unknown_buffer<float>(of.cells()); };
  const Argument north = derivative(), south = derivative(), east = derivative(), west = derivative(),
                 coefficient = derivative(), image = device.buffer(pixels);
  const Argument rows = integer(of.rows), cols = integer(of.cols), all = long_integer(of.cells());
  const Argument in = device.buffer(neighbours(of.rows, -1)), is = device.buffer(neighbours(of.rows, 1)),
                 ie = device.buffer(neighbours(of.cols, 1)), iw = device.buffer(neighbours(of.cols, -1));
  device.run(workload("rodinia/srad_v1", "srad"), {2}, {512},
             {real(lambda), rows, cols, all, in, is, ie, iw, north, south, east, west, real(speckle_scale),
              coefficient, image});
  device.run(workload("rodinia/srad_v1", "srad2"), {2}, {512},
             {real(lambda), rows, cols, all, in, is, ie, iw, north, south, east, west, coefficient, image});
  const Diffusion expected = diffuse(of, pixels);
  expect_near(device.read<float>(north), expected.north, 1e-6);
  expect_near(device.read<float>(south), expected.south, 1e-6);
  expect_near(device.read<float>(east), expected.east, 1e-6);
  expect_near(device.read<float>(west), expected.west, 1e-6);
  expect_near(device.read<float>(coefficient), expected.coefficient, 1e-5);
  expect_near(device.read<float>(image), expected.image, 1e-5);
}

// 1100 elements in CTAs of 512, 512 and 76 = 64 + 12, then 3 = 2 + 1 sums that lie 512 apart.
TEST(Srad, VersionOneAddsUpAllPixels) {
  constexpr std::size_t pixels = 1100;
  const auto values = generated<float>(pixels, [](std::uint32_t k) { return scrambled(k) % 64; });
  Device device;
  const Argument sums = device.unknown_buffer<float>(pixels), squares = device.unknown_buffer<float>(pixels);
  device.run(workload("rodinia/srad_v1", "prepare"), {3}, {512},
             {long_integer(pixels), device.buffer(values), sums, squares});
  const Code reduce = workload("rodinia/srad_v1", "reduce");
  device.run(reduce, {3}, {512}, {long_integer(pixels), count(pixels), integer(1), sums, squares});
  device.run(reduce, {1}, {512}, {long_integer(pixels), integer(3), integer(512), sums, squares});
  EXPECT_EQ(device.read<float>(sums)[0], std::accumulate(values.begin(), values.end(), 0.0F));
  EXPECT_EQ(device.read<float>(squares)[0],
            std::inner_product(values.begin(), values.end(), values.begin(), 0.0F));
}

TEST(Srad, VersionOneExtractsAndCompresses) {
  const auto values = random_floats(600, 2);
  Device device;
  const Argument image = device.buffer(values);
  device.run(workload("rodinia/srad_v1", "extract"), {2}, {512}, {long_integer(600), image});
  std::vector<double> extracted;
  for (const float v : values)
    extracted.push_back(std::exp(v / 255.0));
  expect_near(device.read<float>(image), extracted, 1e-6);
  device.run(workload("rodinia/srad_v1", "compress"), {2}, {512}, {long_integer(600), image});
  expect_near(device.read<float>(image), doubles(values), 1e-4); // 255 roundings of a value near 1
}

TEST(Srad, VersionTwoDiffusesInTiles) {
  const Image of{32, 48, false};
  const auto pixels = pixels_of(of);
  Device device;
  const auto derivative = [&] { return device.unknown_buffer<float>(of.cells()); };
  const Argument north = derivative(), south = derivative(), east = derivative(), west = derivative(),
                 coefficient = derivative(), image = device.buffer(pixels);
  device.run(workload("rodinia/srad_v2", "srad_cuda_1"), {3, 2}, {16, 16},
             {east, west, north, south, image, coefficient, integer(of.cols), integer(of.rows),
              real(speckle_scale)});
  device.run(workload("rodinia/srad_v2", "srad_cuda_2"), {3, 2}, {16, 16},
             {east, west, north, south, image, coefficient, integer(of.cols), integer(of.rows), real(lambda),
              real(speckle_scale)});
  const Diffusion expected = diffuse(of, pixels);
  expect_near(device.read<float>(north), expected.north, 1e-6);
  expect_near(device.read<float>(east), expected.east, 1e-6);
  expect_near(device.read<float>(coefficient), expected.coefficient, 1e-5);
  expect_near(device.read<float>(image), expected.image, 1e-5);
}

} // namespace
} // namespace kerncast::functional_test::srad_test
