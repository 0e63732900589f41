// Hit rates of all launches of an application, predicted from their addresses where none are given.
#pragma once

#include <optional>
#include <vector>

#include "configs/gpu.h"
#include "hit_rates/device_caches.h"
#include "input.h"
#include "machine/program.h"
#include "options.h"

namespace kerncast::app {

using Programs = std::vector<std::vector<machine::MachineProgram>>; // [gpu][kernel]
// [gpu][launch]; nothing where rates are given, or where a kernel has no addresses to predict from.
using PredictedHits = std::vector<std::vector<std::optional<hit_rates::LaunchHits>>>;

// L2 keeps its contents from launch to launch, in the order of the launches' first occurrence. Launches that
// happen often count once as they come first and then as they follow themselves and the others. Of very many
// launches stretches are followed; the others have the rates of the nearest of their kernel.
PredictedHits predict_hits(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                           const Programs& programs, const PredictOptions& options);

} // namespace kerncast::app
