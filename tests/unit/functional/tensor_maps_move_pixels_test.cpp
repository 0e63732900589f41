// Bulk tensor copies in im2col mode: which pixels a column takes, and where the box of pixels ends.
#include <gmock/gmock.h>

#include "tile_run.h"

namespace kerncast::functional_test {
namespace {

using testing::HasSubstr;

// Four channels; pixels and images as given.
TensorMap pixels_of(std::vector<std::uint64_t> pixels_and_images, std::uint16_t count, std::int16_t lower,
                    std::int16_t upper) {
  std::vector<std::uint64_t> dims{4};
  dims.insert(dims.end(), pixels_and_images.begin(), pixels_and_images.end());
  TensorMap map = map_of(dims, {4, count});
  map.mode = tasklist::TensorMode::im2col;
  map.lower_corner.fill(lower);
  map.upper_corner.fill(upper);
  return map;
}

std::string load_pixels(const std::string& dimensions, const std::string& at, const std::string& offsets,
                        std::uint32_t bytes) {
  std::string text = load_of(dimensions + ".shared::cluster.global.im2col", at, bytes);
  return text.replace(text.find("[%y];\nWAIT"), 5, "[%y], {" + offsets + "};");
}

constexpr std::int64_t image_width = 5, image_height = 3, images = 2;

// What a convolution reads in one place (dh, dw) of its window of 3 x 3: for each output (n, h, w), one after
// the other, input (n, h + dh - 1, w + dw - 1), zeros around the image.
Numbers plain_column(std::int64_t dh, std::int64_t dw) {
  Numbers column;
  for (std::int64_t k = 0; k < images * image_height * image_width; ++k) {
    const std::int64_t n = k / image_width / image_height, h = k / image_width % image_height + dh - 1,
                       w = k % image_width + dw - 1;
    const bool is_inside = h >= 0 && h < image_height && w >= 0 && w < image_width;
    for (std::int64_t c = 0; c < 4; ++c)
      column.push_back(
          is_inside ? static_cast<std::uint32_t>(((n * image_height + h) * image_width + w) * 4 + c) : 0);
  }
  return column;
}

// 30 outputs; the corners -1 and -1 let the window's first place be (-1, -1) to (image_height - 2,
// image_width - 2).
TEST(Pixels, AreAColumnOfAConvolution) {
  for (std::int64_t dh = 0; dh < 3; ++dh)
    for (std::int64_t dw = 0; dw < 3; ++dw) {
      TileRun run(pixels_of({image_width, image_height, images}, 30, -1, -1),
                  iota_words(4 * image_width * image_height * images));
      const Numbers column =
          run.tile_after(load_pixels("4d", "0, -1, -1, 0", fmt::format("{}, {}", dw, dh), 30 * 16), 120);
      EXPECT_EQ(run.error(), "");
      EXPECT_EQ(column, plain_column(dh, dw)) << dh << ' ' << dw;
    }
}

// Of 8 pixels between the corners 1 and -1 (elements 1 to 6), every second one: 3, 5, then 1, 3, 5 of the
// next image.
TEST(Pixels, TakeStepsFromCornerToCorner) {
  TensorMap map = pixels_of({8, 2}, 5, 1, -1);
  map.element_strides[1] = 2;
  TileRun run(map, iota_words(64));
  const Numbers column = run.tile_after(load_pixels("3d", "0, 3, 0", "0", 5 * 16), 20);
  ASSERT_EQ(run.error(), "");
  const Numbers first_channels{column[0], column[4], column[8], column[12], column[16]};
  EXPECT_EQ(first_channels, (Numbers{4 * 3, 4 * 5, 32 + 4 * 1, 32 + 4 * 3, 32 + 4 * 5}));
}

// Channels 2 to 5 of 4: the last two are outside.
TEST(Pixels, HaveZerosBehindTheirChannels) {
  TileRun run(pixels_of({8, 1}, 2, 0, 0), iota_words(32));
  const Numbers column = run.tile_after(load_pixels("3d", "2, 0, 0", "0", 2 * 16), 8);
  EXPECT_EQ(column, (Numbers{2, 3, 0, 0, 6, 7, 0, 0})) << run.error();
}

// Tile word k is k; of 6 pixels the first two lie outside and are not stored.
TEST(Pixels, AreStoredWithoutOffsets) {
  TileRun run(pixels_of({4, 1}, 6, -2, 0), Numbers(16, 99));
  const Numbers tensor = run.tensor_after(
      "@%p cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%a, {0, -2, 0}], [%x];\n");
  EXPECT_EQ(run.error(), "");
  for (std::uint32_t k = 0; k < 16; ++k)
    EXPECT_EQ(tensor[k], k + 8);
}

TEST(Pixels, NeedAMapOfPixels) {
  TileRun box(map_of({4, 8, 2}, {4, 2, 1}), iota_words(64));
  box.tile_after(load_pixels("3d", "0, 0, 0", "0", 32), 8);
  EXPECT_THAT(box.error(), HasSubstr("describes a box, the copy moves pixels"));
  TileRun pixels(pixels_of({8, 2}, 2, 0, 0), iota_words(64));
  pixels.tile_after(load_of("3d.shared::cluster.global.tile", "0, 0, 0", 32), 8);
  EXPECT_THAT(pixels.error(), HasSubstr("describes pixels, the copy moves a box"));
}

TEST(Pixels, HaveCornersThatFit) {
  const auto error = [](const TensorMap& map) {
    const auto checked = tasklist::check_tensor_map(map);
    return checked ? "" : checked.error()[0].message;
  };
  EXPECT_EQ(error(pixels_of({8, 2}, 1024, -32768, 0)), "");
  EXPECT_EQ(error(pixels_of({8, 2}, 1025, 0, 0)), "1025 pixels");
  EXPECT_THAT(error(pixels_of({8, 8, 2}, 8, -129, 0)), HasSubstr("corners -129 and 0 of dimension 1"));
  EXPECT_THAT(error(pixels_of({8, 8, 8, 2}, 8, 16, 0)), HasSubstr("corners 16 and 0 of dimension 1"));
  EXPECT_THAT(error(pixels_of({8, 2}, 8, 4, -4)), HasSubstr("no pixel lies between"));
  EXPECT_THAT(error(pixels_of({2}, 8, 0, 0)), HasSubstr("of a tensor of 2 dimensions"));
}

} // namespace
} // namespace kerncast::functional_test
