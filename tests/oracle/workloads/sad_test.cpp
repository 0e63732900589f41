// Claim: the launches of parboil/sad give the sums of absolute differences of all blocks of a macroblock,
// from 4 x 4 to 16 x 16 pixels, at all places.
#include <algorithm>

#include "workload.h"

namespace kerncast::functional_test::sad_test {
namespace {

constexpr int mb_width = 2, mb_height = 1, macroblocks = mb_width * mb_height;
constexpr int width = 16 * mb_width, height = 16 * mb_height;
constexpr int side = 33, reach = 16, padded_places = 1096;

using Pixels = std::vector<std::uint16_t>;

Pixels image(std::uint32_t seed) {
  return generated<std::uint16_t>(width * height,
                                  [=](std::uint32_t k) { return scrambled(k + 10000 * seed) & 0xff; });
}

int pixel(const Pixels& of, int x, int y) {
  return of[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
}

struct Shape {
  int first_row; // of sums, per macroblock
  int width, height;
};

std::uint16_t sum(const Pixels& frame, const Pixels& reference, int left, int top, const Shape& shape,
                  int place) {
  int total = 0;
  for (int y = top; y < top + shape.height; ++y)
    for (int x = left; x < left + shape.width; ++x)
      total +=
          std::abs(pixel(frame, x, y) - pixel(reference, x - reach + place % side, y - reach + place / side));
  return static_cast<std::uint16_t>(total);
}

void expect_shape(const Pixels& sums, const Pixels& frame, const Pixels& reference, const Shape& shape) {
  const int across = 16 / shape.width, blocks = across * (16 / shape.height);
  for (int m = 0; m < macroblocks; ++m)
    for (int b = 0; b < blocks; ++b)
      for (const int place : {0, 17, 544, 1088}) {
        const int row = shape.first_row * macroblocks + m * blocks + b;
        EXPECT_EQ(
            sums[static_cast<std::size_t>(row * padded_places + place)],
            sum(frame, reference, m * 16 + b % across * shape.width, b / across * shape.height, shape, place))
            << shape.width << "x" << shape.height << " block " << b << " of " << m << " at " << place;
      }
}

TEST(AbsoluteDifferences, OfAllShapes) {
  const Pixels frame = image(1), reference = image(2);
  Device device;
  const Argument sums = device.buffer(Pixels(41 * macroblocks * padded_places));
  const Argument texels = device.buffer(reference);
  tasklist::Image texture;
  texture.buffer = texels.buffer;
  texture.format = tasklist::TexelFormat::u16;
  texture.width = width;
  texture.height = height;
  texture.pitch_bytes = 2 * width;
  ASSERT_TRUE(device.memory.add_image(texture));
  run_shared(device, workload("parboil/sad", "mb_sad_calc"), {4 * mb_width, 4 * mb_height}, {61},
             {sums,
              device.buffer(frame),
              count(mb_width),
              count(mb_height),
              {Argument::Kind::u64, tasklist::image_handle(0), 0, 0}},
             2 * padded_places);
  device.run(workload("parboil/sad", "larger_sad_calc_8"), {mb_width, mb_height}, {32, 4},
             {sums, count(mb_width), count(mb_height)});
  device.run(workload("parboil/sad", "larger_sad_calc_16"), {mb_width, mb_height}, {32},
             {sums, count(mb_width), count(mb_height)});
  const Pixels got = device.read<std::uint16_t>(sums);
  for (const Shape& shape : {Shape{0, 16, 16}, Shape{1, 16, 8}, Shape{3, 8, 16}, Shape{5, 8, 8},
                             Shape{9, 8, 4}, Shape{17, 4, 8}, Shape{25, 4, 4}})
    expect_shape(got, frame, reference, shape);
}

} // namespace
} // namespace kerncast::functional_test::sad_test
