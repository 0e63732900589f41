#pragma once

#include <cstdint>

namespace kerncast::configs {

inline std::uint64_t divide_up(std::uint64_t value, std::uint64_t part) { return (value + part - 1) / part; }
// To a multiple of `part`.
inline std::uint64_t round_up(std::uint64_t value, std::uint64_t part) {
  return divide_up(value, part) * part;
}

} // namespace kerncast::configs
