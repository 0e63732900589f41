// Kernels that fetch from one texture or surface and store the result.
#pragma once

#include "text_kernel.h"

namespace kerncast::functional_test {

using tasklist::Image;
using tasklist::Sampler;
using tasklist::TexelFormat;

// A dense image in `buffer`.
inline Image image_of(const Argument& buffer, TexelFormat format, std::uint32_t channels, std::uint32_t width,
                      std::uint32_t height = 1, std::uint32_t depth = 1) {
  Image image;
  image.name = "t";
  image.buffer = buffer.buffer;
  image.format = format;
  image.channels = channels;
  image.width = width;
  image.height = height;
  image.depth = depth;
  image.pitch_bytes = std::uint64_t{width} * image.texel_bytes();
  return image;
}

inline Argument handle(std::uint32_t number) {
  return {Argument::Kind::u64, tasklist::image_handle(number), 0, 0};
}

// %a is the handle, %b the results; %x, %y, %z, %w and %fx, %fy, %fz, %fw are free.
inline std::string texture_kernel(const std::string& body, const std::string& declarations = {}) {
  return text_kernel(".reg .f32 %fx, %fy, %fz, %fw, %u, %v, %s;\n.reg .b64 %c;\nmul.wide.u32 %c, %t, 16;\n"
                     "add.u64 %c, %c, %b;\n" +
                         body,
                     declarations);
}

class ImageDevice : public Device {
public:
  void add(Image image) {
    const auto added = memory.add_image(std::move(image));
    EXPECT_TRUE(added) << render(added ? Diagnostics{} : added.error());
  }
};

} // namespace kerncast::functional_test
