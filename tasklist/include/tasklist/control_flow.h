// A directed graph in two flat arrays, its depth-first order, and what several analyses of one control-flow
// graph share.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tasklist/graph.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

struct Digraph {
  std::vector<std::uint32_t> offsets; // node_count + 1
  std::vector<BlockId> targets;

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(offsets.size()) - 1; }
  std::span<const BlockId> targets_of(BlockId node) const {
    return std::span(targets).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

// Every edge's target must be below node_count.
Digraph make_digraph(std::uint32_t node_count, std::span<const std::pair<BlockId, BlockId>> edges);
Digraph successors_of(std::span<const Block> blocks);
Digraph reversed(const Digraph& graph);

// Depth-first spanning tree of the nodes reachable from a root, numbered in preorder.
struct DepthFirst {
  std::vector<BlockId> postorder;        // nodes in the order in which they were left
  std::vector<BlockId> order;            // nodes by preorder number
  std::vector<std::uint32_t> number;     // by node; no_id: unreachable
  std::vector<std::uint32_t> parent;     // by preorder number; the root's is 0
  std::vector<std::uint32_t> last_below; // by preorder number: highest number in the subtree
};
DepthFirst depth_first(const Digraph& graph, BlockId root);

// All of it of the same blocks.
struct ControlFlow {
  explicit ControlFlow(std::span<const Block> blocks);

  Digraph successors, predecessors;
  DepthFirst tree; // from the entry
  std::vector<BlockId> immediate_dominators;
  DominatorTree dominators;
};

// Cycles of a graph: nodes that reach each other have one number.
class StrongComponents {
public:
  explicit StrongComponents(const ControlFlow& flow);
  // Whether a non-empty way leads from a to b and from b to a.
  bool on_one_cycle(BlockId a, BlockId b) const { return component_[a] == component_[b] && is_cycle_[a]; }

private:
  std::vector<std::uint32_t> component_; // by block
  std::vector<bool> is_cycle_;           // by block
};

} // namespace kerncast::tasklist
