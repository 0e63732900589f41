// A box of CTAs in the grid, and the CTAs that are looked at in it.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "warp_names.h"

namespace kerncast::slice {

using Position = std::array<std::uint32_t, 3>; // CTA in the grid: x, y, z

struct Box {
  Position first{}, last{}; // inclusive
  std::uint64_t extent(std::size_t d) const { return std::uint64_t{last[d]} - first[d] + 1; }
  std::uint64_t ctas() const { return extent(0) * extent(1) * extent(2); }
};

Position centre(const Box& box);
std::vector<Position> corners(const Box& box);
// Corners, centre and, in large boxes, some positions between (a low-discrepancy sequence).
std::vector<Position> probe_positions(const Box& box);
std::vector<Position> all_positions(const Box& box);
std::size_t longest_dimension(const Box& box);
// Splits behind coordinate `at` of dimension d.
std::pair<Box, Box> split(const Box& box, std::size_t d, std::uint32_t at);

} // namespace kerncast::slice
