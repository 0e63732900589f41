// A directed graph in two flat arrays, and its depth-first order.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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

} // namespace kerncast::tasklist
