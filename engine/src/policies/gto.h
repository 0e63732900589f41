// Greedy then oldest: stay with the warp that issued last; when it stalls, the oldest that can issue.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Gto {
  static constexpr bool by_age = true;
  static constexpr bool greedy = true;

  static std::uint32_t pick(const SchedulerView& view) {
    const std::uint32_t oldest = first_rank(view.candidates);
    const bool last_can = (view.candidates >> view.last_issued & 1U) != 0;
    return last_can ? view.last_issued : oldest;
  }
};

} // namespace kerncast::engine
