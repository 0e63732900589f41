// An order in which the first few are spread over all.
#pragma once

#include <cstddef>
#include <vector>

namespace kerncast::warp {

// Numbers below `count` by their reversed bits: an SM whose share is less than all classes of CTAs gets some
// from everywhere in the grid.
std::vector<std::size_t> spread_order(std::size_t count);

} // namespace kerncast::warp
