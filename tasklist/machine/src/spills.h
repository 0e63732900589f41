// Values that lie in local memory because a kernel may not use enough registers.
//
// Chosen as Chaitin's allocator does (Register Allocation & Spilling via Graph Coloring, 1982): where most
// registers are in use, the value whose accesses cost least for what it frees; each loop around an access
// makes it eight times as dear. A value that passes there from one access of a block to the next leaves its
// register between these two only (Braun and Hack, Register Spilling and Live-Range Splitting for SSA-Form
// Programs, 2009): it is stored at the first, if memory does not have it, and loaded as many operations in
// front of the second as L1 has cycles of latency, if registers allow. Others lie in memory everywhere, where
// reads close behind an access of their block share one load. Left out: values that are computed again
// instead, and local memory that several values share.
//
// A spill's access has the numbers behind those of its block's memory tasks (MachineOp::access): no behaviour
// of a launch says where it is, each lane has its own place beside those of its neighbours.
#pragma once

#include <optional>

#include "configs/gpu.h"
#include "draft.h"
#include "live_ranges.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

struct Spills {
  std::uint32_t bytes = 0;  // of local memory per thread
  std::uint32_t stores = 0; // operations in the code
  std::uint32_t loads = 0;
  std::uint32_t stored_bytes = 0; // of the stores
  std::uint32_t excess_left = 0;  // registers of the goal that no value was left to spill for
};

// How many.
struct SpillGoal {
  std::uint32_t excess = 0; // registers that must not be in use where most are
  // As much as a compiler is known to store, whatever the excess: bytes of the stores in the code.
  std::optional<std::uint32_t> stored_bytes = {};
};

// Spills until the goal is met, or no value is left to spill where most registers are in use. The draft is in
// its final order, `ranges` are its. Nothing where the ISA table has no access to local memory.
Spills spill(Draft& draft, const LiveRanges& ranges, const tasklist::Tasklist& list, const configs::Gpu& gpu,
             SpillGoal goal);

} // namespace kerncast::machine
