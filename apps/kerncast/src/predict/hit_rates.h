// Hit rates of all launches of an application, predicted from their addresses where none are given.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "configs/gpu.h"
#include "hit_rates/device_caches.h"
#include "input.h"
#include "machine/program.h"
#include "options.h"

namespace kerncast::app {

using Programs = std::vector<std::vector<machine::MachineProgram>>; // [gpu][kernel]
// By launch; nothing where rates are given, or where a kernel has no addresses to predict from.
using Hits = std::vector<std::optional<hit_rates::LaunchHits>>;
using PredictedHits = std::vector<Hits>; // [gpu]

// L2 keeps its contents from launch to launch, in the order of the launches' first occurrence. Launches that
// happen often count once as they come first and then as they follow themselves and the others. Of very many
// launches stretches are followed; the others have the rates of the nearest of their kernel.
PredictedHits predict_hits(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                           const Programs& programs, const PredictOptions& options);

// On one GPU with each of these L2s in place of its own, without bounds: what all of them share is found
// once.
std::vector<Hits> predict_hits_with_each_l2(const PredictInput& input, const configs::Gpu& gpu,
                                            const std::vector<machine::MachineProgram>& programs,
                                            std::span<const configs::Cache> l2s);

} // namespace kerncast::app
