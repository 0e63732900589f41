#include "tasklist/image.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::tasklist {
namespace {

using Problem = std::optional<ImageProblem>;
using Wide = unsigned __int128; // holds the product of all that a file may say

Problem extent_problem(const Image& image) {
  for (const std::uint32_t extent : {image.width, image.height, image.depth})
    if (extent == 0 || extent > Image::max_extent)
      return ImageProblem{
          fmt::format("width, height and depth must be from 1 to {} texels", Image::max_extent), "change it"};
  if (image.layers > Image::max_extent)
    return ImageProblem{fmt::format("there may be at most {} layers", Image::max_extent), "change it"};
  if (image.layers != 0 && image.depth > 1)
    return ImageProblem{"a texture has either depth or layers", "leave one of them out"};
  if (image.channels != 1 && image.channels != 2 && image.channels != 4)
    return ImageProblem{fmt::format("a texel cannot have {} channels", image.channels),
                        "texels have 1, 2 or 4 channels"};
  return std::nullopt;
}

Problem place_problem(const Image& image, std::uint64_t buffer_bytes) {
  const std::uint64_t row_bytes = std::uint64_t{image.width} * image.texel_bytes();
  if (image.pitch_bytes < row_bytes || image.pitch_bytes % image.texel_bytes() != 0)
    return ImageProblem{
        fmt::format("a pitch of {} bytes does not fit rows of {} bytes with texels of {} bytes",
                    image.pitch_bytes, row_bytes, image.texel_bytes()),
        "the pitch is a multiple of the texel's size and no less than a row"};
  if (image.offset % image.texel_bytes() != 0)
    return ImageProblem{fmt::format("an offset of {} bytes is in the middle of a texel of {} bytes",
                                    image.offset, image.texel_bytes()),
                        "give a multiple of the texel's size"};
  const std::uint64_t left = buffer_bytes - std::min(image.offset, buffer_bytes);
  const Wide rows = Wide{std::max(image.layers, image.depth)} * image.height;
  if (Wide{image.pitch_bytes} * (rows - 1) + row_bytes > left)
    return ImageProblem{fmt::format("the texels do not fit the buffer's {} bytes from byte {} on",
                                    buffer_bytes, image.offset),
                        "make the buffer larger or the texture smaller"};
  return std::nullopt;
}

Problem sampling_problem(const Image& image) {
  const Sampler& sampler = image.sampler;
  if (image.reads_unit_range && (image.is_float() || image.channel_bytes() == 4))
    return ImageProblem{"only integers of 8 and 16 bits can be read as floats from 0 to 1",
                        "read the elements as they are"};
  if (sampler.filter == Sampler::Filter::linear && !image.is_float() && !image.reads_unit_range)
    return ImageProblem{"integers that are read as they are cannot be filtered",
                        "choose the nearest texel, or read them as floats from 0 to 1"};
  const bool repeats = std::any_of(sampler.address.begin(), sampler.address.end(), [](Sampler::Address a) {
    return a == Sampler::Address::wrap || a == Sampler::Address::mirror;
  });
  if (repeats && !sampler.is_normalized)
    return ImageProblem{"wrap and mirror need normalized coordinates",
                        "write clamp, which the hardware does with such coordinates"};
  return std::nullopt;
}

} // namespace

std::uint32_t Image::channel_bytes() const {
  constexpr std::uint8_t bytes[] = {1, 2, 4, 1, 2, 4, 2, 4}; // in the order of TexelFormat
  return bytes[static_cast<std::size_t>(format)];
}

std::uint64_t Image::bytes() const {
  const std::uint64_t slices = std::max(layers, depth);
  return slice_bytes() * (slices - 1) + pitch_bytes * (height - 1) + std::uint64_t{width} * texel_bytes();
}

std::optional<ImageProblem> problem_of(const Image& image, std::uint64_t buffer_bytes) {
  if (auto problem = extent_problem(image))
    return problem;
  if (auto problem = place_problem(image, buffer_bytes))
    return problem;
  return sampling_problem(image);
}

} // namespace kerncast::tasklist
