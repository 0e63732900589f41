// What a scheduling policy sees of its sub-core, and the policies' shared helpers.
//
// A policy is a struct with `static std::uint32_t pick(const SchedulerView&)`: given at least one candidate
// it returns the warp slot that issues. Bits of `candidates` are warp slots of the sub-core.
#pragma once

#include <bit>
#include <cstdint>

namespace kerncast::engine {

// Whether a policy stays with the warp that issued last as long as that one can issue, whatever the others
// do.
template <class Policy> inline constexpr bool is_greedy = false;

struct SchedulerView {
  std::uint64_t candidates = 0;         // warps that can issue now; never 0
  const std::uint64_t* older = nullptr; // per warp slot: the slots whose warps arrived on the SM before its
  std::uint32_t last_issued = 63;       // slot that issued last
  std::uint32_t likely_oldest = 0;      // slot where the oldest warps begin, as a rule
};

inline std::uint32_t first_slot(std::uint64_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

inline std::uint32_t oldest_slot(const SchedulerView& view) {
  std::uint32_t slot =
      (view.likely_oldest + first_slot(std::rotr(view.candidates, static_cast<int>(view.likely_oldest)))) &
      63U;
  while (const std::uint64_t older = view.candidates & view.older[slot])
    slot = first_slot(older);
  return slot;
}

// The first candidate after `slot`, cyclically.
inline std::uint32_t next_slot(std::uint64_t candidates, std::uint32_t slot) {
  const std::uint64_t after = slot >= 63 ? 0 : candidates & (~std::uint64_t{0} << (slot + 1));
  return first_slot(after != 0 ? after : candidates);
}

} // namespace kerncast::engine
