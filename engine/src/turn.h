// Which sub-core acts next.
#pragma once

#include <cstdint>

#include "wake_wheel.h"

namespace kerncast::engine {

inline constexpr std::uint32_t max_sub_cores = 32;

// A sub-core that must act and the cycle in which it must: in their order they do.
class Turn {
public:
  static constexpr int bits = 5; // of max_sub_cores

  Turn() = default;
  // `place`: of the sub-core in the order of that cycle.
  Turn(std::int64_t cycle, std::uint32_t place, std::uint32_t sub_core)
      : order_(cycle << 2 * bits | place << bits | sub_core) {}
  std::int64_t cycle() const { return order_ >> 2 * bits; }
  std::uint32_t sub_core() const { return static_cast<std::uint32_t>(order_) % max_sub_cores; }
  bool operator<(Turn other) const { return order_ < other.order_; }
  // By value, which needs no branch.
  friend Turn earlier(Turn a, Turn b) { return a.order_ < b.order_ ? a : b; }

private:
  std::int64_t order_ = WakeWheel::never << 2 * bits;
};

} // namespace kerncast::engine
