// Greedy then oldest: stay with the warp that issued last; when it stalls, the oldest that can issue.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Gto {
  static std::uint32_t pick(const SchedulerView& view) {
    const bool last_can = (view.candidates >> view.last_issued & 1U) != 0;
    return last_can ? view.last_issued : oldest_slot(view);
  }
};

template <> inline constexpr bool is_greedy<Gto> = true;

} // namespace kerncast::engine
