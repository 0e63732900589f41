// A tensor map: where a tensor lies in global memory and which box of it one bulk tensor copy moves (PTX ISA,
// section 5.5, tensors; CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).
//
// A kernel gets one as 128 bytes, whose arrangement the manual leaves open; here it is that of this struct.
// Leaves out: im2col along one dimension only (im2col::w), interleaved layouts, elements of less than a byte,
// swizzles that keep together more than 16 bytes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace kerncast::tasklist {

// Numbered as tensormap.replace does (PTX ISA, section 9.7.9.27).
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f32_ftz,
  f64,
  bf16,
  tf32,
  tf32_ftz
};
// "" for those that flush subnormals, which are not supported.
inline constexpr std::string_view tensor_type_names[] = {"u8",  "u16", "u32", "s32",  "u64",  "s64", "f16",
                                                         "f32", "",    "f64", "bf16", "tf32", ""};

// What the box is: extents along all dimensions, or so many pixels one behind the other, of each the same
// channels, as the columns of a convolution's matrix have them.
enum class TensorMode : std::uint8_t { tiled, im2col };

struct TensorMap {
  static constexpr std::uint32_t most_dimensions = 5;
  static constexpr std::uint32_t most_pixel_dimensions = most_dimensions - 2; // all but channels and images
  static constexpr std::uint32_t bytes = 128, alignment = 64;
  // What tells it from other memory; the manual leaves it open.
  static constexpr std::uint64_t known_mark = 0x70616d2d726f736e;

  std::uint64_t address = 0;                         // of the first element
  std::array<std::uint64_t, most_dimensions> dims{}; // elements, the first of neighbours
  std::array<std::uint64_t, most_dimensions - 1>
      strides{};                                    // bytes along the second dimension, the third, ...
  std::array<std::uint16_t, most_dimensions> box{}; // elements; im2col: channels, then pixels
  std::array<std::uint8_t, most_dimensions> element_strides{}; // of the box; that of the first has no effect
  std::uint8_t rank_less_one = 0;
  std::uint8_t type = 0;              // TensorType
  std::uint8_t interleave = 0;        // 0: none
  std::uint8_t swizzle = 0;           // 0: none; 1, 2, 3: over 32, 64, 128 bytes
  std::uint8_t swizzle_atomicity = 0; // 0: 16 bytes
  std::uint8_t fill = 0;              // of elements outside. 0: zeros; 1: not a number
  TensorMode mode = TensorMode::tiled;
  std::array<std::uint8_t, 2> unused{};
  // im2col: pixels go from the first to the last element of a dimension, each moved by so many elements.
  std::array<std::int16_t, most_pixel_dimensions> lower_corner{}, upper_corner{};
  std::array<std::uint8_t, 4> reserved{};
  std::uint64_t mark = known_mark;

  std::uint32_t rank() const { return rank_less_one + 1U; }
  // Dimensions between channels and images.
  std::uint32_t pixel_dimensions() const { return rank() - 2; }
  std::uint32_t element_bytes() const;
  // 16 if there is none.
  std::uint32_t swizzle_bytes() const { return 16U << swizzle; }
  // Of the box in shared memory: elements along a dimension, and bytes.
  std::uint32_t box_elements(std::uint32_t dimension) const;
  std::uint64_t box_bytes() const;
  // From the first element to the end of the last.
  std::uint64_t tensor_bytes() const;
};
static_assert(sizeof(TensorMap) == TensorMap::bytes);

using TensorMapWords = std::array<std::uint64_t, TensorMap::bytes / 8>;
inline constexpr std::uint32_t tensor_map_address_word = 0;
inline TensorMapWords words_of(const TensorMap& map) { return std::bit_cast<TensorMapWords>(map); }

bool is_float(TensorType type);
std::optional<TensorType> find_tensor_type(std::string_view name);

// Sets strides of a tensor without gaps.
void make_dense(TensorMap& map);

// Names of the types, for diagnostics.
std::string tensor_type_list();

// What of the driver's rules a map breaks.
Expected<void> check_tensor_map(const TensorMap& map);
// And of a tensor that begins at byte `offset` of a buffer with so many bytes behind.
Expected<void> check_tensor_map(const TensorMap& map, std::uint64_t offset, std::uint64_t room);

} // namespace kerncast::tasklist
