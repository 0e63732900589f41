// Elements are little-endian, as on the device.
#include "application/contents.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "application/read.h"
#include "support/files.h"
#include "support/mix_bits.h"

namespace kerncast::application {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators): element k of a sequence.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t k) {
  return mix_bits(seed + (k + 1) * 0x9e3779b97f4a7c15ULL);
}

template <class T, class F> void fill_elements(std::span<std::uint8_t> bytes, F&& element) {
  for (std::size_t k = 0; (k + 1) * sizeof(T) <= bytes.size(); ++k) {
    const T value = element(k);
    std::memcpy(&bytes[k * sizeof(T)], &value, sizeof(T));
  }
}

template <class T> T random_element(const Contents& contents, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    const double unit =
        static_cast<double>(bits >> (sizeof(T) == 4 ? 40 : 11)) * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53);
    const double least = contents.least.value_or(0), most = contents.most.value_or(1);
    return static_cast<T>(least + unit * (most - least));
  } else {
    using Limits = std::numeric_limits<T>;
    const auto least = contents.least ? static_cast<T>(*contents.least) : Limits::min();
    const auto most = contents.most ? static_cast<T>(*contents.most) : Limits::max();
    const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    return static_cast<T>(static_cast<std::uint64_t>(least) +
                          (range == UINT64_MAX ? bits : bits % (range + 1)));
  }
}

template <class T> T iota_element(const Contents& contents, std::size_t k) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(contents.start + static_cast<double>(k) * contents.step);
  else
    return static_cast<T>(static_cast<std::uint64_t>(static_cast<std::int64_t>(contents.start)) +
                          k * static_cast<std::uint64_t>(static_cast<std::int64_t>(contents.step)));
}

template <class T> void fill_typed(const Contents& contents, std::span<std::uint8_t> bytes) {
  switch (contents.kind) {
  case InitKind::constant:
    return fill_elements<T>(bytes, [&](std::size_t) { return static_cast<T>(contents.value); });
  case InitKind::iota:
    return fill_elements<T>(bytes, [&](std::size_t k) { return iota_element<T>(contents, k); });
  case InitKind::random:
    return fill_elements<T>(
        bytes, [&](std::size_t k) { return random_element<T>(contents, random_bits(contents.seed, k)); });
  default:
    break;
  }
}

template <class F> void with_type(ElementType type, F&& f) {
  switch (type) {
  case ElementType::f32:
    return f(float{});
  case ElementType::f64:
    return f(double{});
  case ElementType::i8:
    return f(std::int8_t{});
  case ElementType::i16:
    return f(std::int16_t{});
  case ElementType::i32:
    return f(std::int32_t{});
  case ElementType::i64:
    return f(std::int64_t{});
  case ElementType::u8:
    return f(std::uint8_t{});
  case ElementType::u16:
    return f(std::uint16_t{});
  case ElementType::u32:
    return f(std::uint32_t{});
  case ElementType::u64:
    return f(std::uint64_t{});
  }
}

template <class T> bool fits(double value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(value) <= static_cast<double>(std::numeric_limits<T>::max());
  // The upper end plus one is exact in a double where the end itself is not.
  return value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
         value < std::ldexp(1.0, std::numeric_limits<T>::digits);
}

Expected<void> fill_from_file(const Contents& contents, std::span<std::uint8_t> bytes) {
  const auto read = read_file(contents.path, max_bytes);
  if (!read)
    return tl::unexpected(read.error());
  if (read->size() != bytes.size())
    return fail(
        fmt::format("'{}' has {} bytes, the buffer {}", contents.path.string(), read->size(), bytes.size()),
        "make them equal");
  std::memcpy(bytes.data(), read->data(), bytes.size());
  return {};
}

void fill_pattern(const Contents& contents, std::span<std::uint8_t> bytes) {
  if (contents.kind == InitKind::zeros)
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  else
    with_type(contents.element_type(), [&](auto zero) { fill_typed<decltype(zero)>(contents, bytes); });
}

void fill_pieces(const std::vector<Piece>& pieces, std::span<std::uint8_t> bytes) {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  for (const Piece& piece : pieces) {
    Contents contents = piece.contents;
    for (std::uint64_t copy = 0; copy < piece.copies; ++copy) {
      fill_pattern(contents, bytes.subspan(piece.offset + copy * piece.every, piece.bytes));
      contents.start += piece.advance;
      contents.value += piece.advance;
    }
  }
}

// The last copy's end lies in the buffer, computed without overflow: all counts are below 2^50.
bool fits_buffer(const Piece& piece, std::uint64_t bytes) {
  if (piece.bytes > bytes || piece.offset > bytes - piece.bytes)
    return false;
  return piece.every == 0 || piece.copies - 1 <= (bytes - piece.bytes - piece.offset) / piece.every;
}

// An advance must leave the last copy's elements of their type.
std::string last_copy_error(const Piece& piece) {
  Contents last = piece.contents;
  const double advanced = static_cast<double>(piece.copies - 1) * piece.advance;
  last.start += advanced;
  last.value += advanced;
  return contents_error(last);
}

} // namespace

std::optional<ElementType> find_element_type(std::string_view name) {
  const auto found = std::find(std::begin(element_type_names), std::end(element_type_names), name);
  if (found == std::end(element_type_names))
    return std::nullopt;
  return static_cast<ElementType>(found - std::begin(element_type_names));
}

std::uint32_t element_bytes(ElementType type) {
  std::uint32_t bytes = 0;
  with_type(type, [&](auto zero) { bytes = sizeof(zero); });
  return bytes;
}

ElementType Contents::element_type() const {
  return type.value_or(kind == InitKind::iota ? ElementType::i32 : ElementType::f32);
}

std::string contents_error(const Contents& contents) {
  const ElementType type = contents.element_type();
  const std::string_view name = element_type_names[static_cast<std::size_t>(type)];
  const auto misfit = [&](double value) {
    bool ok = false;
    with_type(type, [&](auto zero) { ok = fits<decltype(zero)>(value); });
    return !ok;
  };
  for (const auto& [value, given] : {std::pair{contents.value, contents.kind == InitKind::constant},
                                     std::pair{contents.start, contents.kind == InitKind::iota},
                                     std::pair{contents.least.value_or(0), contents.least.has_value()},
                                     std::pair{contents.most.value_or(0), contents.most.has_value()}})
    if (given && misfit(value))
      return fmt::format("{} is no {}", value, name);
  const bool ordered = !contents.least || !contents.most || *contents.least <= *contents.most;
  return ordered ? "" : fmt::format("min {} is above max {}", *contents.least, *contents.most);
}

std::string pieces_error(const Contents& contents, std::uint64_t bytes) {
  for (std::size_t k = 0; k < contents.pieces.size(); ++k) {
    const Piece& piece = contents.pieces[k];
    if (!fits_buffer(piece, bytes))
      return fmt::format("piece {} goes beyond the {} bytes", k + 1, bytes);
    if (const std::string error = last_copy_error(piece); !error.empty())
      return fmt::format("the last copy of piece {}: {}", k + 1, error);
  }
  return "";
}

Expected<void> fill(const Contents& contents, std::span<std::uint8_t> bytes) {
  if (contents.kind == InitKind::file)
    return fill_from_file(contents, bytes);
  if (contents.kind == InitKind::pieces)
    fill_pieces(contents.pieces, bytes);
  else
    fill_pattern(contents, bytes);
  return {};
}

} // namespace kerncast::application
