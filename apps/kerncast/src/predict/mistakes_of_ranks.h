// What is wrong with an application of several ranks, as diagnostics at its events.
#pragma once

#include <cstddef>
#include <vector>

#include "input.h"
#include "ranks/ranks.h"

namespace kerncast::app {

// At most `error_limit` (0: all).
Diagnostics mistakes_of_ranks(const PredictInput& input, const std::vector<ranks::Problem>& problems,
                              std::size_t error_limit);

} // namespace kerncast::app
