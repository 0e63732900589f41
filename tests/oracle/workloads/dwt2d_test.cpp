// Claim: rodinia/dwt2d separates colours, and transforms an image by the 5/3 wavelet as lifting whole columns
// and then whole rows does.
#include "workload.h"

namespace kerncast::functional_test::dwt2d_test {
namespace {

constexpr std::size_t size_x = 128, size_y = 48;
using Image = std::vector<std::int32_t>;

// In place, `count` values that lie `stride` apart.
void lift(std::int32_t* values, std::size_t count, std::size_t stride) {
  const auto at = [&](std::size_t k) -> std::int32_t& { return values[k * stride]; };
  for (std::size_t k = 1; k < count; k += 2)
    at(k) -= (at(k - 1) + at(k + 1 < count ? k + 1 : k - 1)) >> 1;
  for (std::size_t k = 0; k < count; k += 2)
    at(k) += (at(k > 0 ? k - 1 : 1) + at(k + 1) + 2) >> 2;
}

// The four bands one after the other: low, high in x, high in y, high in both.
Image plain(Image image) {
  for (std::size_t x = 0; x < size_x; ++x)
    lift(&image[x], size_y, size_x);
  for (std::size_t y = 0; y < size_y; ++y)
    lift(&image[y * size_x], size_x, 1);
  Image bands(image.size());
  for (std::size_t y = 0; y < size_y; ++y)
    for (std::size_t x = 0; x < size_x; ++x)
      bands[(2 * (y % 2) + x % 2) * image.size() / 4 + y / 2 * (size_x / 2) + x / 2] = image[y * size_x + x];
  return bands;
}

// Two stripes of 64 columns, and three stretches of two windows of 8 rows.
TEST(WaveletTransform, LiftsColumnsAndRows) {
  const auto image = generated<std::int32_t>(
      size_x * size_y, [](std::uint32_t k) { return static_cast<std::int32_t>(scrambled(k) % 256) - 128; });
  Device device;
  const Argument bands = device.buffer(Image(image.size()));
  device.run(workload("rodinia/dwt2d", "fdwt53Kernel_64"), {size_x / 64, size_y / 16}, {64},
             {device.buffer(image), bands, count(size_x), count(size_y), count(2)});
  EXPECT_EQ(device.read<std::int32_t>(bands), plain(image));
}

TEST(WaveletTransform, SeparatesColours) {
  constexpr std::size_t pixels = 512;
  const auto bytes = generated<std::uint8_t>(3 * pixels, [](std::uint32_t k) { return scrambled(k) & 0xff; });
  Device device;
  std::vector<Argument> colours;
  for (int c = 0; c < 3; ++c)
    colours.push_back(device.buffer(Image(pixels)));
  device.run(workload("rodinia/dwt2d", "c_CopySrcToComponents"), {pixels / 256}, {256},
             {colours[0], colours[1], colours[2], device.buffer(bytes), count(pixels)});
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(device.read<std::int32_t>(colours[c]),
              generated<std::int32_t>(pixels, [&](std::uint32_t k) { return bytes[3 * k + c] - 128; }));
}

} // namespace
} // namespace kerncast::functional_test::dwt2d_test
