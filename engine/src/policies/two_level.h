// Two levels (Narasiman et al., MICRO 2011): warps form groups of eight slots; round robin inside the group
// that issued last, and on to the next group when none of its warps can issue.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct TwoLevel {
  static constexpr bool by_age = false;
  static constexpr bool greedy = false;
  static constexpr std::uint32_t group_warps = 8;

  static std::uint32_t pick(const SchedulerView& view) {
    const std::uint32_t first = view.last_issued / group_warps * group_warps;
    const std::uint64_t group = view.candidates & (std::uint64_t{0xff} << first);
    return group != 0 ? next_rank(group, view.last_issued)
                      : next_rank(view.candidates, first + group_warps - 1);
  }
};

} // namespace kerncast::engine
