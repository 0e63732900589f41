// --sample-launches N: of the distinct launches of a kernel a few are simulated, the others' times follow
// from theirs.
//
// In the manner of principal kernel selection (Baddouh et al., Principal Kernel Analysis, MICRO 2021), but on
// what is known without a profiler: the grid, arguments, sizes of buffers and what is stated of branches,
// loops and hit rates, in logarithms. The launches that are simulated lie as far from one another as can be.
// Launches whose buffers' contents decide what they do are simulated, all of them: that is not in their
// arguments. Hit rates are predicted from all launches (hit_rates.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "input.h"
#include "models.h"
#include "statistics/interpolation.h"

namespace kerncast::app {

inline constexpr std::uint64_t least_sampled_launches = 2; // of one alone the error would not be known

// Launches of one kernel with CTAs that take the same room on an SM, of which some stand for all.
struct LaunchFamily {
  std::uint32_t kernel = 0;
  std::vector<std::size_t> launches;     // numbers in PredictInput::launches, ascending
  std::vector<statistics::Point> points; // by position in `launches`
  std::vector<std::size_t> simulated;    // positions, ascending; two at least
};

struct LaunchSample {
  std::vector<std::size_t> simulated; // numbers in PredictInput::launches, ascending
  std::vector<LaunchFamily> families; // those of which not all are simulated
};

// At most so many launches of each family.
LaunchSample sample_launches(const PredictInput& input, std::uint64_t most_of_a_family);

// As predict_with of all launches, of which options.sample_launches of a family are simulated. `input` is as
// it was afterwards.
Expected<std::vector<Predictions>> predict_sampled(std::span<const Model* const> models, PredictInput& input,
                                                   const std::vector<configs::Gpu>& gpus,
                                                   const PredictOptions& options,
                                                   const cluster::Cluster& cluster);

} // namespace kerncast::app
