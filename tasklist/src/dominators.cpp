// Dominators by the semi-NCA method: semidominators with path compression (Lengauer, Tarjan), then each
// immediate dominator as the nearest ancestor in the dominator tree built so far that lies at or above the
// semidominator. All arrays are indexed by preorder number.
#include <utility>

#include "tasklist/control_flow.h"

namespace kerncast::tasklist {

namespace {

class SemiDominators {
public:
  SemiDominators(const DepthFirst& tree, const Digraph& predecessors)
      : ancestor_(tree.parent), label_(tree.order.size()), semi_(tree.order.size()) {
    for (std::uint32_t i = 0; i < label_.size(); ++i) {
      label_[i] = semi_[i] = i;
    }
    for (std::uint32_t w = static_cast<std::uint32_t>(label_.size()); w-- > 1;) {
      std::uint32_t best = tree.parent[w];
      for (const BlockId predecessor : predecessors.targets_of(tree.order[w])) {
        if (tree.number[predecessor] != no_id) {
          best = std::min(best, semi_[lowest_on_path(tree.number[predecessor], w + 1)]);
        }
      }
      semi_[w] = best;
    }
  }
  std::uint32_t operator[](std::uint32_t number) const { return semi_[number]; }

private:
  // The node of least semidominator on the tree path from `v` up to the first node below `first_linked`,
  // that node excluded; shortens the path for later calls.
  std::uint32_t lowest_on_path(std::uint32_t v, std::uint32_t first_linked) {
    if (v < first_linked) {
      return v;
    }
    path_.clear();
    while (ancestor_[v] >= first_linked) {
      path_.push_back(v);
      v = ancestor_[v];
    }
    while (!path_.empty()) {
      const std::uint32_t below = path_.back();
      path_.pop_back();
      if (semi_[label_[v]] < semi_[label_[below]]) {
        label_[below] = label_[v];
      }
      ancestor_[below] = ancestor_[v];
      v = below;
    }
    return label_[v];
  }

  std::vector<std::uint32_t> ancestor_, label_, semi_, path_;
};

std::vector<BlockId> dominators_from(const DepthFirst& tree, const Digraph& predecessors) {
  const SemiDominators semi(tree, predecessors);
  std::vector<std::uint32_t> above(tree.parent); // immediate dominators by number
  std::vector<BlockId> result(predecessors.node_count(), no_id);
  for (std::uint32_t w = 1; w < above.size(); ++w) {
    while (above[w] > semi[w]) {
      above[w] = above[above[w]];
    }
    result[tree.order[w]] = tree.order[above[w]];
  }
  return result;
}

} // namespace

std::vector<BlockId> immediate_dominators(std::span<const Block> blocks) {
  if (blocks.empty()) {
    return {};
  }
  const Digraph successors = successors_of(blocks);
  return dominators_from(depth_first(successors, 0), reversed(successors));
}

std::vector<BlockId> immediate_post_dominators(std::span<const Block> blocks) {
  const auto exit = static_cast<BlockId>(blocks.size());
  std::vector<std::pair<BlockId, BlockId>> edges;
  for (BlockId id = 0; id < blocks.size(); ++id) {
    for (const BlockId successor : blocks[id].successors) {
      edges.emplace_back(id, successor);
    }
    if (blocks[id].successors.empty()) {
      edges.emplace_back(id, exit);
    }
  }
  const Digraph forward = make_digraph(exit + 1, edges);
  std::vector<BlockId> result = dominators_from(depth_first(reversed(forward), exit), forward);
  result.pop_back();
  for (BlockId& id : result) {
    id = id == exit ? no_id : id;
  }
  return result;
}

DominatorTree::DominatorTree(std::span<const BlockId> immediate_dominators)
    : enter_(immediate_dominators.size(), 0), leave_(immediate_dominators.size(), 0) {
  if (immediate_dominators.empty()) {
    return;
  }
  std::vector<std::pair<BlockId, BlockId>> edges;
  for (BlockId id = 0; id < immediate_dominators.size(); ++id) {
    if (immediate_dominators[id] != no_id) {
      edges.emplace_back(immediate_dominators[id], id);
    }
  }
  const auto nodes = static_cast<std::uint32_t>(immediate_dominators.size());
  *this = DominatorTree(immediate_dominators, depth_first(make_digraph(nodes, edges), 0).order);
}

DominatorTree::DominatorTree(std::span<const BlockId> immediate_dominators, std::span<const BlockId> order)
    : enter_(immediate_dominators.size(), 0), leave_(immediate_dominators.size(), 0) {
  // First the subtrees' sizes, then their places side by side: leave_ is the next free one on the way.
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t size = ++enter_[order[i]];
    if (const BlockId above = immediate_dominators[order[i]]; above != no_id) {
      enter_[above] += size;
    }
  }
  for (const BlockId block : order) {
    const std::uint32_t size = enter_[block];
    const BlockId above = immediate_dominators[block];
    enter_[block] = above != no_id ? leave_[above] : 1;
    leave_[block] = enter_[block] + 1;
    if (above != no_id) {
      leave_[above] += size;
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    --leave_[order[i]];
  }
}

ControlFlow::ControlFlow(std::span<const Block> blocks)
    : successors(successors_of(blocks)), predecessors(reversed(successors)),
      tree(blocks.empty() ? DepthFirst{} : depth_first(successors, 0)),
      immediate_dominators(dominators_from(tree, predecessors)),
      dominators(immediate_dominators, tree.order) {}

} // namespace kerncast::tasklist
