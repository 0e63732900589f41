// Innermost loops whose largest number of trips a compiler can compute on entry: a way out at the end of the
// body, where a register that every trip moves by a constant is compared with something that stays. Without
// other ways out it is the number of trips.
#pragma once

#include <optional>
#include <vector>

#include "tasklist/control_flow.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

struct CountedLoop {
  std::uint32_t loop = 0; // index into Tasklist::loops
  BlockId latch = 0;      // the block that branches back
  TaskId step = 0, comparison = 0, branch = 0;
  std::optional<std::uint64_t> trips; // where start, step and bound are constants
  bool has_other_exits = false;
};

// In the order of Tasklist::loops. `flow` is that of its blocks.
std::vector<CountedLoop> find_counted_loops(const Tasklist& list, const ControlFlow& flow);

} // namespace kerncast::tasklist
