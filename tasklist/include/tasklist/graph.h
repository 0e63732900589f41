// Control-flow graph algorithms on block successor lists.
//
// All are iterative and near linear in blocks plus edges (find_loops: plus the loops' own sizes). Duplicate
// successors and unreachable blocks are allowed; nothing dominates an unreachable block.
#pragma once

#include <span>
#include <vector>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

struct ControlFlow; // control_flow.h

// Immediate dominator of every block, no_id for the entry and for unreachable blocks
// (semi-NCA; Georgiadis, Tarjan, Werneck: Finding Dominators in Practice, section 2.3).
std::vector<BlockId> immediate_dominators(std::span<const Block> blocks);

// Immediate post-dominator of every block, no_id where it is the virtual exit and for blocks that never
// reach an exit (endless loops).
std::vector<BlockId> immediate_post_dominators(std::span<const Block> blocks);

// Answers "does a dominate b" in constant time from the immediate dominators. A block dominates itself.
class DominatorTree {
public:
  explicit DominatorTree(std::span<const BlockId> immediate_dominators);
  // `order` has every reachable block behind its immediate dominator.
  DominatorTree(std::span<const BlockId> immediate_dominators, std::span<const BlockId> order);
  bool dominates(BlockId a, BlockId b) const {
    return enter_[a] != 0 && enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }

private:
  std::vector<std::uint32_t> enter_, leave_; // preorder interval of the subtree; enter 0: unreachable
};

// Natural loops, one per header (back edges with one header merged), outer before inner.
std::vector<Loop> find_loops(std::span<const Block> blocks);
std::vector<Loop> find_loops(const ControlFlow& flow);

struct Edge {
  BlockId from = 0;
  BlockId to = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Retreating edges that enter a cycle beside its header: the target was visited before the source, can
// reach it, and does not dominate it. Such cycles are no loops of find_loops; empty for reducible graphs.
std::vector<Edge> irreducible_edges(std::span<const Block> blocks);
std::vector<Edge> irreducible_edges(const ControlFlow& flow);

} // namespace kerncast::tasklist
