// Control-flow graph algorithms on block successor lists.
#pragma once

#include <span>
#include <vector>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

// Immediate dominator of every block, no_id for the entry and for unreachable blocks
// (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
std::vector<BlockId> immediate_dominators(std::span<const Block> blocks);

// Immediate post-dominator of every block, no_id where it is the virtual exit.
std::vector<BlockId> immediate_post_dominators(std::span<const Block> blocks);

// Natural loops, one per header (back edges with one header merged), outer before inner.
std::vector<Loop> find_loops(std::span<const Block> blocks);

} // namespace kerncast::tasklist
