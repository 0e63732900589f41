// A texture or surface as a host program describes it: where its texels lie in a buffer, and how a fetch
// reads them (CUDA C++ Programming Guide, texture and surface memory).
//
// Rows lie pitch_bytes apart, layers and slices behind each other. Leaves out: levels of detail, samples,
// compressed formats, the order in which the hardware stores the texels of arrays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kerncast::tasklist {

enum class TexelFormat : std::uint8_t { u8, u16, u32, s8, s16, s32, f16, f32 };
inline constexpr std::string_view texel_format_names[] = {"u8",  "u16", "u32", "s8",
                                                          "s16", "s32", "f16", "f32"};

struct Sampler {
  enum class Address : std::uint8_t { wrap, mirror, clamp, border };
  enum class Filter : std::uint8_t { nearest, linear };

  std::array<Address, 3> address = {Address::clamp, Address::clamp, Address::clamp};
  Filter filter = Filter::nearest;
  bool is_normalized = false; // coordinates run from 0 to 1, else they count texels
  friend bool operator==(const Sampler&, const Sampler&) = default;
};
inline constexpr std::string_view sampler_address_names[] = {"wrap", "mirror", "clamp", "border"};
inline constexpr std::string_view sampler_filter_names[] = {"nearest", "linear"};

struct Image {
  static constexpr std::uint32_t max_extent = 1U << 28;

  std::string name;
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0; // bytes into the buffer
  TexelFormat format = TexelFormat::f32;
  std::uint32_t channels = 1; // 1, 2 or 4
  std::uint32_t width = 1, height = 1, depth = 1;
  std::uint32_t layers = 0; // 0: no array; of a cube map 6, of an array of them 6 each
  std::uint64_t pitch_bytes = 0;
  bool reads_unit_range = false; // integers are read as floats from 0 to 1, or from -1 to 1
  Sampler sampler;

  std::uint32_t channel_bytes() const;
  std::uint32_t texel_bytes() const { return channel_bytes() * channels; }
  std::uint64_t slice_bytes() const { return pitch_bytes * height; } // of one layer too
  std::uint64_t bytes() const;                                       // to the end of the last row
  bool is_float() const { return format == TexelFormat::f16 || format == TexelFormat::f32; }
  bool is_signed() const { return format >= TexelFormat::s8; }
};

// What is wrong with a description and what to write instead; empty if nothing is.
struct ImageProblem {
  std::string message;
  std::string note;
};
std::optional<ImageProblem> problem_of(const Image& image, std::uint64_t buffer_bytes);

// Handles of the images of a device, which kernels get as arguments: unlike all addresses and small numbers.
inline constexpr std::uint64_t first_image_handle = std::uint64_t{1} << 62;
inline std::uint64_t image_handle(std::uint32_t number) { return first_image_handle + number; }

} // namespace kerncast::tasklist
