#include "tasklist/control_flow.h"

namespace kerncast::tasklist {

Digraph make_digraph(std::uint32_t node_count, std::span<const std::pair<BlockId, BlockId>> edges) {
  Digraph graph;
  graph.offsets.assign(node_count + 1, 0);
  for (const auto& edge : edges) {
    ++graph.offsets[edge.first + 1];
  }
  for (std::uint32_t node = 0; node < node_count; ++node) {
    graph.offsets[node + 1] += graph.offsets[node];
  }
  graph.targets.resize(edges.size());
  std::vector<std::uint32_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (const auto& edge : edges) {
    graph.targets[next[edge.first]++] = edge.second;
  }
  return graph;
}

Digraph successors_of(std::span<const Block> blocks) {
  Digraph graph;
  graph.offsets.reserve(blocks.size() + 1);
  graph.offsets.push_back(0);
  graph.targets.reserve(2 * blocks.size());
  for (const Block& block : blocks) {
    graph.targets.insert(graph.targets.end(), block.successors.begin(), block.successors.end());
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.targets.size()));
  }
  return graph;
}

Digraph reversed(const Digraph& graph) {
  Digraph result;
  result.offsets.assign(graph.offsets.size(), 0);
  for (const BlockId target : graph.targets) {
    ++result.offsets[target];
  }
  std::uint32_t end = 0; // filling backward turns each end into its begin
  for (std::uint32_t& offset : result.offsets) {
    offset = end += offset;
  }
  result.targets.resize(graph.targets.size());
  for (BlockId node = graph.node_count(); node-- > 0;) {
    const auto targets = graph.targets_of(node);
    for (std::size_t i = targets.size(); i-- > 0;) {
      result.targets[--result.offsets[targets[i]]] = node;
    }
  }
  return result;
}

namespace {

struct Visit {
  std::uint32_t number;
  std::uint32_t next_edge;
};

} // namespace

DepthFirst depth_first(const Digraph& graph, BlockId root) {
  DepthFirst tree;
  tree.number.assign(graph.node_count(), no_id);
  for (auto* numbered : {&tree.postorder, &tree.order, &tree.parent, &tree.last_below}) {
    numbered->reserve(graph.node_count());
  }
  std::vector<Visit> stack;
  stack.reserve(graph.node_count());
  const auto enter = [&](BlockId node, std::uint32_t parent) {
    const auto number = static_cast<std::uint32_t>(tree.order.size());
    tree.number[node] = number;
    tree.order.push_back(node);
    tree.parent.push_back(parent);
    tree.last_below.push_back(number);
    stack.push_back({number, 0});
  };
  enter(root, 0);
  while (!stack.empty()) {
    const std::uint32_t number = stack.back().number;
    const auto targets = graph.targets_of(tree.order[number]);
    if (stack.back().next_edge == targets.size()) {
      tree.postorder.push_back(tree.order[number]);
      tree.last_below[number] = static_cast<std::uint32_t>(tree.order.size()) - 1;
      stack.pop_back();
      continue;
    }
    const BlockId target = targets[stack.back().next_edge++];
    if (tree.number[target] == no_id) {
      enter(target, number);
    }
  }
  return tree;
}

} // namespace kerncast::tasklist
