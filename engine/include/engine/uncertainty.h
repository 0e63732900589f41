// How sure the prediction of a launch is: an interval, and what makes it as wide as it is.
//
// The launch is planned and simulated again with one thing that it rests on off by one standard error: a
// group of the GPU's parameters (configs/standard_error.h), the estimated registers, the predicted hit rates,
// the paths that divisions take. Each makes the cycles longer or shorter by a factor; as independent errors
// these add in squares, longer and shorter by themselves. What the model leaves out is one more such error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/interval.h"
#include "engine/kernel.h"

namespace kerncast::engine {

// One standard error, a share of the cycles, that no varied plan explains: what is not modelled, and
// instructions that another version of the compiler would choose. From measured kernels (docs/accuracy.md).
inline constexpr double model_error = 0.1;

struct VariedPlan {
  std::string source;      // "latency of L2 and DRAM"
  bool is_mirrored = true; // off to the other side the cycles change by as much in the other direction
  double deviations = 1;   // standard errors by which it is off
  KernelPlan plan;
};

// Plans that do exactly what `plan` does are left out. Shorter than the list of --what-if: parameters that
// are measured in the same way are off together.
std::vector<VariedPlan> vary(const KernelInput& input, const KernelPlan& plan);

struct VariedCycles {
  std::string source;
  bool is_mirrored = true;
  double deviations = 1;
  double cycles = 0;
};
Interval interval_of(double cycles, std::span<const VariedCycles> varied);

} // namespace kerncast::engine
