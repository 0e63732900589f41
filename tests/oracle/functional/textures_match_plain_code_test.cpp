// The kernels of apps/workloads/basic/textures against plain C++: filtered fetches whose weights have 8 bits,
// and fetches of a palette by data.
#include <array>
#include <cmath>

#include "device.h"

namespace kerncast::functional_test {
namespace {

constexpr std::int32_t image_width = 60, image_height = 50;

tasklist::Image image_of(const char* name, const Argument& buffer, std::uint32_t columns,
                         std::uint32_t rows) {
  tasklist::Image image;
  image.name = name;
  image.buffer = buffer.buffer;
  image.format = tasklist::TexelFormat::u8;
  image.channels = 4;
  image.width = columns;
  image.height = rows;
  image.pitch_bytes = std::uint64_t{columns} * 4;
  return image;
}

Argument texture(std::uint32_t number) { return {Argument::Kind::u64, tasklist::image_handle(number), 0, 0}; }

// The two texels around a coordinate that repeats, and the second one's weight in 256th.
struct Between {
  std::array<std::size_t, 2> texels;
  double weight;
};
Between between(float coordinate, std::int32_t extent) {
  const double place = static_cast<double>(coordinate) * extent - 0.5;
  const double low = std::floor(place);
  const auto wrapped = [&](std::int64_t texel) {
    return static_cast<std::size_t>((texel % extent + extent) % extent);
  };
  const auto first = static_cast<std::int64_t>(low);
  return {{wrapped(first), wrapped(first + 1)}, std::floor((place - low) * 256 + 0.5) / 256};
}

float filtered(const std::vector<std::uint8_t>& pixels, float u, float v, std::size_t channel) {
  const Between x = between(u, image_width), y = between(v, image_height);
  const auto texel = [&](std::size_t i, std::size_t j) {
    return pixels[4 * (y.texels[j] * image_width + x.texels[i]) + channel] / 255.0;
  };
  return static_cast<float>(texel(0, 0) * ((1 - x.weight) * (1 - y.weight)) +
                            texel(1, 0) * (x.weight * (1 - y.weight)) +
                            texel(0, 1) * ((1 - x.weight) * y.weight) + texel(1, 1) * (x.weight * y.weight));
}

std::vector<float> rotated(const std::vector<std::uint8_t>& pixels, float cosine, float sine) {
  std::vector<float> grey;
  for (std::int32_t row = 0; row < image_height; ++row)
    for (std::int32_t column = 0; column < image_width; ++column) {
      const float u = (static_cast<float>(column) + 0.5F) / image_width - 0.5F;
      const float v = (static_cast<float>(row) + 0.5F) / image_height - 0.5F;
      const float s = u * cosine - v * sine + 0.5F, t = std::fma(u, sine, v * cosine) + 0.5F;
      const float first = std::fma(filtered(pixels, s, t, 0), 0.25F, filtered(pixels, s, t, 1) * 0.5F);
      grey.push_back(std::fma(filtered(pixels, s, t, 2), 0.25F, first));
    }
  return grey;
}

TEST(WholeKernels, ATurnedImageAndItsColours) {
  const std::string path = "apps/workloads/basic/textures/textures.ptx";
  const Code rotate = Code::of_path(path, "rotate"), colour = Code::of_path(path, "colour");
  const auto pixels = generated<std::uint8_t>(4 * image_width * image_height,
                                              [](std::uint32_t k) { return scrambled(k) & 0xff; });
  const auto levels =
      generated<std::uint8_t>(4 * 256, [](std::uint32_t k) { return scrambled(k + 9999) & 0xff; });
  Device device;
  tasklist::Image image = image_of("image", device.buffer(pixels), image_width, image_height);
  image.reads_unit_range = true;
  image.sampler.filter = tasklist::Sampler::Filter::linear;
  image.sampler.address.fill(tasklist::Sampler::Address::wrap);
  image.sampler.is_normalized = true;
  ASSERT_TRUE(device.memory.add_image(image));
  ASSERT_TRUE(device.memory.add_image(image_of("palette", device.buffer(levels), 256, 1)));
  const Argument grey = device.unknown_buffer<float>(image_width * image_height);
  const Argument colours = device.unknown_buffer<std::uint32_t>(image_width * image_height);

  device.run(rotate, {4, 4}, {16, 16},
             {texture(0), grey, integer(image_width), integer(image_height), real(0.8F), real(0.6F)});
  EXPECT_EQ(device.read<float>(grey), rotated(pixels, 0.8F, 0.6F));

  device.run(colour, {12}, {256}, {texture(1), grey, colours, integer(image_width * image_height)});
  std::vector<std::uint32_t> expected;
  for (const float of_pixel : device.read<float>(grey)) {
    const auto level = static_cast<std::size_t>(std::fma(of_pixel, 255.0F, 0.5F));
    expected.push_back(levels[4 * level] | std::uint32_t{levels[4 * level + 1]} << 8 |
                       std::uint32_t{levels[4 * level + 2]} << 16 |
                       std::uint32_t{levels[4 * level + 3]} << 24);
  }
  EXPECT_EQ(device.read<std::uint32_t>(colours), expected);
}

} // namespace
} // namespace kerncast::functional_test
