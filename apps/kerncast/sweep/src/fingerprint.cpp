// Two lanes of multiply and rotate with different constants, mixed at the end (after Appleby's MurmurHash3).
#include "sweep/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace kerncast::sweep {
namespace {

constexpr std::uint64_t prime_1 = 0x9e3779b97f4a7c15ULL, prime_2 = 0xc2b2ae3d27d4eb4fULL;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Up to eight bytes, the first lowest.
std::uint64_t word_of(std::string_view bytes) {
  std::uint64_t word = 0;
  if (std::endian::native == std::endian::little && bytes.size() >= sizeof word) {
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  }
  for (std::size_t i = 0; i < bytes.size() && i < 8; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return word;
}

} // namespace

std::string Fingerprint::text() const { return fmt::format("{:016x}{:016x}", high, low); }

Fingerprint fingerprint(std::string_view text) {
  std::uint64_t a = prime_1 ^ text.size(), b = prime_2;
  for (std::string_view rest = text; !rest.empty();
       rest.remove_prefix(std::min<std::size_t>(8, rest.size()))) {
    const std::uint64_t word = word_of(rest);
    a = std::rotl((a ^ word) * prime_2, 31) + b;
    b = std::rotl((b + word) * prime_1, 27) ^ a;
  }
  return {mixed(a + b), mixed(mixed(b) + a)};
}

} // namespace kerncast::sweep
