// Oldest first: of the warps that can issue, the one that arrived first.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Oldest {
  static constexpr bool by_age = true;
  static constexpr bool greedy = false;

  static std::uint32_t pick(const SchedulerView& view) { return first_rank(view.candidates); }
};

} // namespace kerncast::engine
