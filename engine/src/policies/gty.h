// Greedy then youngest: stay with the warp that issued last; when it stalls, the youngest that can issue. So
// NVIDIA's schedulers are reported to pick, with hints of the compiler that are not followed here (Huerta et
// al., Analyzing Modern NVIDIA GPU cores, arXiv:2503.20481, 2025).
#pragma once

#include "policies/policy.h"

namespace kerncast::engine {

struct Gty {
  static constexpr bool by_age = true;
  static constexpr bool greedy = true;

  static std::uint32_t pick(const SchedulerView& view) {
    return last_issued_or(view, last_rank(view.candidates));
  }
};

} // namespace kerncast::engine
