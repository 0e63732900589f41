// Positions in boxes.
#include "grid_box.h"

#include <algorithm>

namespace kerncast::slice {
namespace {

constexpr std::uint64_t large_box = 64;
constexpr std::uint64_t inner_probes = 6;

// 1/g, 1/g^2, 1/g^3 in units of 2^-64 for the root g of g^4 = g + 1 (Roberts' R3 sequence).
constexpr std::uint64_t probe_steps[3] = {0xd1b54a32d192ed03ULL, 0xabc98388fb8fac03ULL,
                                          0x8cb92ba72f3d8dd7ULL};

Position inner_probe(const Box& box, std::uint64_t number) {
  Position p{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t fraction = (number * probe_steps[d]) >> 32; // of 2^32
    p[d] = box.first[d] + static_cast<std::uint32_t>(fraction * box.extent(d) >> 32);
  }
  return p;
}

} // namespace

Position centre(const Box& box) {
  Position c{};
  for (std::size_t d = 0; d < 3; ++d)
    c[d] = box.first[d] + (box.last[d] - box.first[d]) / 2;
  return c;
}

std::vector<Position> corners(const Box& box) {
  std::vector<Position> result;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    Position p{};
    bool repeated = false; // a dimension of extent 1 has only one side
    for (std::size_t d = 0; d < 3; ++d) {
      const bool upper = (corner >> d & 1) != 0;
      repeated |= upper && box.extent(d) == 1;
      p[d] = upper ? box.last[d] : box.first[d];
    }
    if (!repeated)
      result.push_back(p);
  }
  return result;
}

std::vector<Position> probe_positions(const Box& box) {
  std::vector<Position> positions = corners(box);
  positions.push_back(centre(box));
  for (std::uint64_t i = 1; box.ctas() > large_box && i <= inner_probes; ++i)
    positions.push_back(inner_probe(box, i));
  return positions;
}

std::vector<Position> all_positions(const Box& box) {
  std::vector<Position> positions;
  for (std::uint64_t i = 0; i < box.ctas(); ++i)
    positions.push_back({box.first[0] + static_cast<std::uint32_t>(i % box.extent(0)),
                         box.first[1] + static_cast<std::uint32_t>(i / box.extent(0) % box.extent(1)),
                         box.first[2] + static_cast<std::uint32_t>(i / box.extent(0) / box.extent(1))});
  return positions;
}

std::size_t longest_dimension(const Box& box) {
  std::size_t longest = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (box.extent(d) > box.extent(longest))
      longest = d;
  return longest;
}

std::pair<Box, Box> split(const Box& box, std::size_t d, std::uint32_t at) {
  std::pair<Box, Box> parts{box, box};
  parts.first.last[d] = at;
  parts.second.first[d] = at + 1;
  return parts;
}

} // namespace kerncast::slice
