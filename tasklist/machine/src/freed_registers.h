// Registers that a compiler short of them frees.
#pragma once

#include <vector>

#include "draft.h"
#include "live_ranges.h"

namespace kerncast::machine {

struct FreedRegisters {
  std::vector<bool> is_freed;
  // Of those whose load can come later: where they are read first, up to which it can wait at least; else 0.
  std::vector<std::uint32_t> load_by;
};

// By virtual register. Freed are those that one integer operation computes from values that are kept as long,
// so that it can do so again, and those that are loaded and read in one block, where the load can come later
// as no barrier, and no write that may be to the same memory, lies in between, and where those that read it
// can come together. `ranges` are those of the draft.
FreedRegisters freed_registers(const tasklist::Tasklist& list, const Draft& draft, const LiveRanges& ranges);

} // namespace kerncast::machine
