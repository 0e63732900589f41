// How sure the prediction of a launch is: an interval, and what makes it as wide as it is.
//
// The launch is planned and simulated again with one thing that it rests on off by one standard error: a
// group of the GPU's parameters (configs/standard_error.h), the estimated registers, the predicted hit rates,
// the paths that divisions take. Each makes the cycles longer or shorter by a factor; as independent errors
// these add in squares, longer and shorter by themselves. What the model leaves out is one more such error.
#pragma once

#include <functional>
#include <optional>
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
  double most_ratio = 1;   // no step takes longer by more, so what goes beyond is another order of warps
  bool is_start = false;   // to be compared with VariedPlans::start, not with the whole launch
  KernelPlan plan;
};

// Of long launches only a part is simulated again, on the busiest SMs: of many CTAs two waves and an eighth
// of all, at least; of long loops enough iterations for 16,384 instructions of a warp, at least eight. Not
// where other CTAs are resident then, and not where everything is to be stepped through.
struct VariedPlans {
  std::optional<KernelPlan> start; // as predicted
  std::vector<VariedPlan> plans;
};

// Plans that do exactly what `plan` does are left out. Shorter than the list of --what-if: parameters that
// are measured in the same way are off together.
VariedPlans vary(const KernelInput& input, const KernelPlan& plan);

// `cycles_of` is asked once for each plan that there is, the start first.
using CyclesOf = std::function<double(const KernelPlan& plan)>;
Interval interval_of(double cycles, const VariedPlans& varied, const CyclesOf& cycles_of);

// What an error makes of the cycles.
struct Effect {
  std::string source;
  bool is_mirrored = true;
  double deviations = 1;
  double ratio = 1; // of the cycles with it to those without
};
Interval interval_of(std::span<const Effect> effects);

} // namespace kerncast::engine
