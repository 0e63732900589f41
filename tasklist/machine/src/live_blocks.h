// At the beginning of which blocks a register holds a value that may still be read.
//
// A register that lives in few blocks is followed from its readers back to its writers; those that live in
// much of the code are followed 256 at a time, one bit each, through all blocks (dense_liveness.h). So the
// cost is that of the blocks in which values live, and of all blocks once per 256 values that live nearly
// everywhere.
#pragma once

#include <span>
#include <vector>

#include "occurrences.h"
#include "tasklist/control_flow.h"

namespace kerncast::machine {

// Half-open range of blocks in the order of the code.
struct BlockRun {
  tasklist::BlockId begin = 0;
  tasklist::BlockId end = 0;
};

struct LiveBlocks {
  std::vector<tasklist::Range> runs_of; // by register, in `runs`
  std::vector<BlockRun> runs;           // ascending and apart, per register

  std::span<const BlockRun> of(VirtualRegister r) const {
    return std::span(runs).subspan(runs_of[r].begin, runs_of[r].count);
  }
};

// Reads that no write can reach are taken out of the draft: they would only make the old contents of a
// reused slot seem needed. (A guarded first write reads "its old result" in emit().) Their occurrences are
// marked as dropped, and such a first write keeps nothing.
LiveBlocks find_live_blocks(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table);

} // namespace kerncast::machine
