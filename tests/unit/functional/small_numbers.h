// Small integers as bits of the formats that matrices hold them in.
#pragma once

#include <bit>
#include <cstdint>

namespace kerncast::functional_test {

inline std::uint32_t single(int value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }
inline std::uint32_t half(int value) { // exact for |value| < 2048
  if (value == 0)
    return 0;
  const std::uint32_t bits = single(value);
  return (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 0x3ff);
}
inline std::uint32_t word(int value) { return static_cast<std::uint32_t>(value); }

} // namespace kerncast::functional_test
