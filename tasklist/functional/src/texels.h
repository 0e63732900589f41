// Texels of an image: from the bytes in memory to what a fetch gives, and back.
#pragma once

#include <array>

#include "tasklist/image.h"

namespace kerncast::functional {

// What a fetch gives of integers that it reads as they are lies in `integers`, all else in `reals`. Channels
// that the format lacks are 0, the fourth 1.
struct Texel {
  std::array<double, 4> reals = {0, 0, 0, 1};
  std::array<std::uint32_t, 4> integers = {0, 0, 0, 1};
};

// Whether fetches give floats.
inline bool reads_floats(const tasklist::Image& image) { return image.is_float() || image.reads_unit_range; }

double decode_real(const tasklist::Image& image, std::uint32_t bits);
// Extended to 32 bits by its sign.
std::uint32_t decode_integer(const tasklist::Image& image, std::uint32_t bits);
// Bits of a channel for a formatted store of a 32-bit value: a float where fetches give floats. What the
// format cannot hold becomes its nearest value.
std::uint32_t encode_channel(const tasklist::Image& image, std::uint32_t value);

Texel read_texel(const tasklist::Image& image, std::uint8_t* at);

// Outside of the image, where addresses end at a border.
inline Texel border_texel() { return {{0, 0, 0, 0}, {0, 0, 0, 0}}; }

} // namespace kerncast::functional
