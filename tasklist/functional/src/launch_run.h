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
  std::string printed; // of all CTAs up to that one, in order
  bool printed_too_much = false;
};

// `instructions`: by block. `recorder` may be null.
LaunchEnd run_ctas(const LaunchState& state, const RunOptions& options,
                   const std::vector<std::uint64_t>& instructions, Recorder* recorder);

} // namespace kerncast::functional
