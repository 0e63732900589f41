// All CTAs of one launch.
#pragma once

#include <optional>

#include "cluster.h"
#include "functional/kernel.h"

namespace kerncast::functional {

struct LaunchEnd {
  std::optional<CtaFault> fault; // of the first CTA that has one
  bool given_up = false;
  std::uint64_t recorded_ctas = 0;
  Counts counts;
};

// `instructions`: by block. `recorder` may be null.
LaunchEnd run_ctas(const LaunchState& state, const RunOptions& options,
                   const std::vector<std::uint64_t>& instructions, Recorder* recorder);

} // namespace kerncast::functional
