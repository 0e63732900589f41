// All CTAs of one launch.
#pragma once

#include <optional>

#include "cta.h"
#include "functional/kernel.h"

namespace kerncast::functional {

struct CtaFault {
  std::uint64_t cta = 0; // number in the grid
  Fault fault;
};

struct LaunchEnd {
  std::optional<CtaFault> fault; // of the first CTA that has one
  bool given_up = false;
  Counts counts;
};

// `instructions`: by block. `recorder` may be null.
LaunchEnd run_ctas(const LaunchState& state, const RunOptions& options,
                   const std::vector<std::uint64_t>& instructions, Recorder* recorder);

tasklist::Dim3 cta_at(std::uint64_t number, tasklist::Dim3 grid);

} // namespace kerncast::functional
