// Loose round robin: the next warp after the one that issued last, skipping those that cannot.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Lrr {
  static constexpr bool by_age = false;
  static constexpr bool greedy = false;

  static std::uint32_t pick(const SchedulerView& view) {
    return next_rank(view.candidates, view.last_issued);
  }
};

} // namespace kerncast::engine
