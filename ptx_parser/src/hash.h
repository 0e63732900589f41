// A hash of short names. Deterministic: it decides only where a name lies in a table, never an order of
// output.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kerncast::ptx {

constexpr std::uint64_t mix(std::uint64_t h) {
  h *= 0x9E3779B97F4A7C15ULL; // 2^64 / golden ratio
  return h ^ (h >> 32);
}

// Two overlapping 8-byte loads cover names up to 16 characters; longer ones are walked in steps of 8.
inline std::uint64_t hash_of(std::string_view name) {
  const char* p = name.data();
  std::size_t n = name.size();
  std::uint64_t h = n;
  std::uint64_t word = 0;
  while (n > 8) {
    std::memcpy(&word, p, 8);
    h = mix(h ^ word);
    p += 8;
    n -= 8;
  }
  word = 0;
  if (name.size() >= 8)
    std::memcpy(&word, name.data() + name.size() - 8, 8);
  else
    for (std::size_t i = 0; i < n; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return mix(h ^ word);
}

} // namespace kerncast::ptx
