// What was executed, by block and by loop.
#pragma once

#include <cstdint>
#include <vector>

namespace kerncast::functional {

struct Counts {
  std::vector<std::uint64_t> block_warps; // visits by warps
  std::vector<std::uint64_t> block_lanes; // visits by lanes
  std::vector<std::uint64_t> loop_warps;  // entries into a loop from outside, by warps
  std::vector<std::uint64_t> loop_lanes;  // and by lanes

  void resize(std::size_t blocks, std::size_t loops) {
    block_warps.resize(blocks);
    block_lanes.resize(blocks);
    loop_warps.resize(loops);
    loop_lanes.resize(loops);
  }
  void add(const Counts& other) {
    const auto sum = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] += from[i];
    };
    sum(block_warps, other.block_warps);
    sum(block_lanes, other.block_lanes);
    sum(loop_warps, other.loop_warps);
    sum(loop_lanes, other.loop_lanes);
  }
};

} // namespace kerncast::functional
