// A box of CTAs in the grid, and the CTAs that are looked at in it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tasklist/grid_order.h"
#include "warp_names.h"

namespace kerncast::slice {

using Position = tasklist::GridPosition;
using Box = tasklist::GridBox;

Position centre(const Box& box);
std::vector<Position> corners(const Box& box);
// Corners, centre and, in large boxes, some positions between (a low-discrepancy sequence).
std::vector<Position> probe_positions(const Box& box);
std::vector<Position> all_positions(const Box& box);
std::size_t longest_dimension(const Box& box);
// Splits behind coordinate `at` of dimension d.
std::pair<Box, Box> split(const Box& box, std::size_t d, std::uint32_t at);

} // namespace kerncast::slice
