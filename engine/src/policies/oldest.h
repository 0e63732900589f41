// Oldest first: of the warps that can issue, the one that arrived first.
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Oldest {
  static std::uint32_t pick(const SchedulerView& view) { return oldest_slot(view); }
};

} // namespace kerncast::engine
