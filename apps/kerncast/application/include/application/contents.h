// What a buffer holds before anything runs: a pattern of elements, several of them in places (a table of
// structures), the bytes of a file, or nothing known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::application {

enum class InitKind : std::uint8_t { zeros, constant, iota, random, file, pieces, unknown };

enum class ElementType : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

inline constexpr std::string_view element_type_names[] = {"f32", "f64", "i8",  "i16", "i32",
                                                          "i64", "u8",  "u16", "u32", "u64"};
std::optional<ElementType> find_element_type(std::string_view name);
std::uint32_t element_bytes(ElementType type);

struct Piece;

struct Contents {
  InitKind kind = InitKind::unknown;
  std::optional<ElementType> type; // else i32 for iota, f32 for constant and random
  double value = 0;                // constant
  double start = 0, step = 1;      // iota: element k is start + k * step
  std::uint64_t seed = 0;          // random
  std::optional<double> least;     // random; else 0 for floats, the type's least for integers
  std::optional<double> most;      // random: below it for floats, else 1; up to it for integers
  std::filesystem::path path;      // file
  std::vector<Piece> pieces;       // zeros elsewhere

  ElementType element_type() const;
};

// Contents at a place, and again `every` bytes further as often as said. From copy to copy the value of a
// constant and the start of an iota advance; random elements are the same.
struct Piece {
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t copies = 1, every = 0;
  double advance = 0;
  Contents contents; // a pattern: no file, no pieces, not unknown
};

// Why the pieces do not fit a buffer of so many bytes; empty if they do.
std::string pieces_error(const Contents& contents, std::uint64_t bytes);

// Why a constant or the bounds of random elements do not fit their type; empty if they do.
std::string contents_error(const Contents& contents);

// Fills all bytes; an element that the end cuts is left zero. Element k of random contents depends on the
// seed and k alone. Nothing for unknown contents. Fails if a file cannot be read or has another size.
Expected<void> fill(const Contents& contents, std::span<std::uint8_t> bytes);

} // namespace kerncast::application
