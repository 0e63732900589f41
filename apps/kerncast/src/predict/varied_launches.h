// Which launches are simulated with what is uncertain changed.
#pragma once

#include <cstddef>
#include <vector>

#include "input.h"

namespace kerncast::app {

// By launch: the launch of the same kernel whose interval, as a share of its cycles, is its own. At most
// eight of a kernel have their own, spread evenly over its launches in their order; the others take the
// nearest one's.
std::vector<std::size_t> varied_launches(const PredictInput& input);

} // namespace kerncast::app
