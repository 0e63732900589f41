// The loops of a program, and fewer iterations of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

struct Loop {
  std::uint64_t iterations = 0;
  std::uint64_t instructions = 1; // of an iteration, those of the loops inside it included
};

// Of those of one depth, on any path; no iterations, if there is none.
Loop longest_loop(const SmProgram& program, std::uint32_t depth);

// Iterations that make a warp execute about so many instructions, at least one.
std::uint64_t iterations_of(const Loop& loop, std::uint64_t instructions);

// Shares of the iterations by depth, at most 1, with which the longest loop of each depth is just long enough
// to stand for all of its iterations.
using LoopShares = std::vector<double>;
LoopShares shares_that_stand_for_all(const SmProgram& program);
std::shared_ptr<const SmProgram> with_shares_of_loops(const SmProgram& program, const LoopShares& shares);

} // namespace kerncast::engine
