// A hash of short names. Deterministic: it decides only where a name lies in a table, never an order of
// output.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kerncast::ptx {

// Both halves of a 128-bit product: every bit of `a` and `b` reaches the low bits, which choose a place in a
// table.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The characters of a name in two words that overlap for all lengths but 16. Together with the length they
// are the name itself if it has at most 16 characters.
struct NameBits {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  friend bool operator==(const NameBits&, const NameBits&) = default;
};

template <class Word> std::uint64_t load(const char* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline NameBits bits_of(std::string_view name) {
  const char* const p = name.data();
  const std::size_t n = name.size();
  if (n >= 8)
    return {load<std::uint64_t>(p), load<std::uint64_t>(p + n - 8)};
  if (n >= 4)
    return {load<std::uint32_t>(p), load<std::uint32_t>(p + n - 4)};
  if (n >= 2)
    return {load<std::uint16_t>(p), load<std::uint16_t>(p + n - 2)};
  return {n == 0 ? 0 : load<std::uint8_t>(p), 0};
}

inline constexpr std::size_t longest_in_bits = 16;

inline std::uint64_t hash_of(std::string_view name, const NameBits& bits) {
  constexpr std::uint64_t odd_1 = 0x9E3779B97F4A7C15ULL; // 2^64 / golden ratio
  constexpr std::uint64_t odd_2 = 0xD1B54A32D192ED03ULL; // another with as many bits
  std::uint64_t h = folded_product(bits.head ^ odd_1, (bits.tail + name.size()) ^ odd_2);
  for (std::size_t at = 8; at + 8 < name.size(); at += 8)
    h = folded_product(h ^ odd_1, load<std::uint64_t>(name.data() + at) ^ odd_2);
  return h;
}

} // namespace kerncast::ptx
