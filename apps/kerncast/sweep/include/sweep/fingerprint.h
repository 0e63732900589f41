// A short name for a text: equal texts have equal fingerprints on every machine.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace kerncast::sweep {

// 128 bits; two of a billion texts share one with a probability of 10^-21. No protection against intent.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::string text() const; // 32 hexadecimal digits
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

Fingerprint fingerprint(std::string_view text);

} // namespace kerncast::sweep
