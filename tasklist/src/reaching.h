// What the ways of finding reaching definitions share: accesses of one value that cross blocks, and the
// dependencies that follow.
#pragma once

#include <vector>

#include "tasklist/control_flow.h"

namespace kerncast::tasklist {

struct InBlock {
  BlockId block;
  TaskId task;
};

struct DependencyEdge {
  TaskId reader, writer;
};

// Every block, after its predecessors where no back edge intervenes; unreachable blocks last.
std::vector<BlockId> reverse_postorder(const ControlFlow& flow);

// Accesses of values that live in much of the function, one value after the other.
struct WidespreadValues {
  std::vector<InBlock> reads;                        // those before any write of their block
  std::vector<InBlock> writers;                      // the last one of each block
  std::vector<std::uint32_t> reads_end, writers_end; // by value
};

// Carries 64 writers at a time, of one or several values, one bit each, in sweeps over all blocks.
void connect_widespread(const WidespreadValues& values, const ControlFlow& flow,
                        std::vector<DependencyEdge>& edges);

} // namespace kerncast::tasklist
