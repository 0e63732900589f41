#include "texels.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "host_bytes.h"
#include "warp/matrix_op.h"

namespace kerncast::functional {
namespace {

using tasklist::Image;
using tasklist::TexelFormat;

// Largest value of a channel that holds an integer.
double largest(const Image& image) {
  const std::uint32_t bits = 8 * image.channel_bytes() - (image.is_signed() ? 1 : 0);
  return static_cast<double>((std::uint64_t{1} << bits) - 1);
}

double least(const Image& image) { return image.is_signed() ? -largest(image) - 1 : 0; }

std::uint32_t channel_mask(const Image& image) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << (8 * image.channel_bytes())) - 1);
}

double integer_value(const Image& image, std::uint32_t bits) {
  const std::uint32_t value = decode_integer(image, bits);
  return image.is_signed() ? static_cast<double>(static_cast<std::int32_t>(value))
                           : static_cast<double>(value);
}

std::uint32_t to_bits(const Image& image, double value) {
  const double fitting = std::clamp(value, least(image), largest(image));
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(fitting)) & channel_mask(image);
}

} // namespace

std::uint32_t decode_integer(const Image& image, std::uint32_t bits) {
  const std::uint32_t unused = 32 - 8 * image.channel_bytes();
  const std::uint32_t top = bits << unused;
  return image.is_signed() ? static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> unused)
                           : top >> unused;
}

// Of signed integers in the unit range the two least are both -1 (CUDA driver API, cuTexObjectCreate).
double decode_real(const Image& image, std::uint32_t bits) {
  if (image.format == TexelFormat::f32)
    return static_cast<double>(std::bit_cast<float>(bits));
  if (image.format == TexelFormat::f16)
    return warp::decode_element(bits, warp::Element::f16);
  return std::max(integer_value(image, bits) / largest(image), -1.0);
}

std::uint32_t encode_channel(const Image& image, std::uint32_t value) {
  const auto real = static_cast<double>(std::bit_cast<float>(value));
  if (image.format == TexelFormat::f16)
    return static_cast<std::uint32_t>(warp::encode_element(real, warp::Element::f16));
  if (image.format == TexelFormat::f32)
    return value;
  if (!image.reads_unit_range)
    return to_bits(image, image.is_signed() ? static_cast<double>(static_cast<std::int32_t>(value))
                                            : static_cast<double>(value));
  return std::isnan(real) ? 0
                          : to_bits(image, std::floor(std::clamp(real, -1.0, 1.0) * largest(image) + 0.5));
}

Texel read_texel(const Image& image, std::uint8_t* at) {
  Texel texel;
  const std::uint32_t bytes = image.channel_bytes();
  for (std::uint32_t c = 0; c < image.channels; ++c) {
    const auto bits = static_cast<std::uint32_t>(read_bytes(at + c * bytes, bytes));
    if (reads_floats(image))
      texel.reals[c] = decode_real(image, bits);
    else
      texel.integers[c] = decode_integer(image, bits);
  }
  return texel;
}

} // namespace kerncast::functional
