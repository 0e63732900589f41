// When the dependent kernel of a programmatic dependent launch could start, and when this one came to its
// wait for the kernel before (PTX ISA, griddepcontrol), as CTAs and warps of one SM tell.
//
// A CTA triggers with the first launch_dependents that any of its warps issues, or by ending; the SM has
// triggered when all its CTAs have. The first wave are as many CTAs as are resident: later ones begin when
// these end, so after their wait. Of a CTA in which some warps wait the others do not count. Left out: that
// warps which reach their wait early go on together with the latest one, when the kernel before ends later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "engine/sm_time.h"

namespace kerncast::engine {

class DependentGrids {
public:
  static constexpr Time never = std::numeric_limits<Time>::max();

  // Whether the CTA is of the first wave, of so many.
  bool begin_cta(std::uint64_t resident) { return begun_++ < resident; }
  void end_cta(Time triggered, Time end) {
    any_triggered_ = any_triggered_ || triggered != never;
    last_trigger_ = std::max(last_trigger_, std::min(triggered, end));
  }
  void reached_wait(Time at) { last_wait_ = std::max(last_wait_.value_or(0), at); }

  // Nothing, if no CTA has issued what would trigger.
  std::optional<Time> triggered() const {
    return any_triggered_ ? std::optional(last_trigger_) : std::nullopt;
  }
  std::optional<Time> waited() const { return last_wait_; }

private:
  std::uint64_t begun_ = 0; // CTAs
  bool any_triggered_ = false;
  Time last_trigger_ = 0;
  std::optional<Time> last_wait_;
};

} // namespace kerncast::engine
