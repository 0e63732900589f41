// Greedy then oldest: stay with the warp that issued last; when it stalls, the oldest that can issue.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Gto {
  static constexpr bool by_age = true;
  static constexpr bool greedy = true;

  static std::uint32_t pick(const SchedulerView& view) {
    return last_issued_or(view, first_rank(view.candidates));
  }
};

} // namespace kerncast::engine
