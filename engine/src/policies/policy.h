// What a scheduling policy sees of its sub-core, and the policies' shared helpers.
//
// A policy is a struct with `static std::uint32_t pick(const SchedulerView&)`: given at least one candidate
// it returns the rank of the warp that issues. Ranks are bits of `candidates`: those of the sub-core's warp
// slots or, with `static constexpr bool by_age = true`, of the warps in the order in which they arrived on
// the SM. (The slot that issued last is the same when another warp arrives in it.) With `static constexpr
// bool greedy = true` it stays with the warp that issued last as long as that one can issue.
#pragma once

#include <bit>
#include <cstdint>

namespace kerncast::engine {

struct SchedulerView {
  std::uint64_t candidates = 0;   // warps that can issue now; never 0
  std::uint32_t last_issued = 63; // of the slot that issued last
};

inline std::uint32_t first_rank(std::uint64_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

inline std::uint32_t last_rank(std::uint64_t mask) {
  return 63 - static_cast<std::uint32_t>(std::countl_zero(mask));
}

// Greedy: the one that issued last if it can, else that other.
inline std::uint32_t last_issued_or(const SchedulerView& view, std::uint32_t other) {
  return (view.candidates >> view.last_issued & 1U) != 0 ? view.last_issued : other;
}

// The first candidate after `rank`, cyclically.
inline std::uint32_t next_rank(std::uint64_t candidates, std::uint32_t rank) {
  const std::uint64_t after = rank >= 63 ? 0 : candidates & (~std::uint64_t{0} << (rank + 1));
  return first_rank(after != 0 ? after : candidates);
}

} // namespace kerncast::engine
