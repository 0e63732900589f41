// Matrices of small integers, and their bits in the formats that matrices hold them in.
#pragma once

#include <bit>
#include <cstdint>

#include "device.h"

namespace kerncast::functional_test {

// A value in -4 ... 3, different from place to place.
inline int small(std::uint32_t k) { return static_cast<int>(scrambled(k) % 8) - 4; }
// Elements of a, b and c; of a sparse a the stored ones.
inline int value_a(std::uint32_t row, std::uint32_t column) { return small(row * 256 + column); }
inline int value_b(std::uint32_t row, std::uint32_t column) { return small(9000 + row * 64 + column); }
inline int value_c(std::uint32_t row, std::uint32_t column) { return small(5000 + row * 64 + column); }

inline std::uint32_t single(int value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }
inline std::uint32_t half(int value) { // exact for |value| < 2048
  if (value == 0)
    return 0;
  const std::uint32_t bits = single(value);
  return (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 0x3ff);
}
inline std::uint32_t word(int value) { return static_cast<std::uint32_t>(value); }

} // namespace kerncast::functional_test
