// Tarjan's strongly connected components (1972) of the graph without the blocks that stay nodes.
#include "condensed_blocks.h"

#include <algorithm>

namespace kerncast::machine {

using tasklist::BlockId;
using tasklist::no_id;

CondensedBlocks::CondensedBlocks(const tasklist::ControlFlow& flow)
    : flow_(flow), node_of_(flow.successors.node_count()), number_(node_of_.size()),
      lowest_(node_of_.size()) {}

void CondensedBlocks::condense(std::span<const std::uint8_t> stays) {
  std::ranges::fill(node_of_, no_id);
  std::ranges::fill(number_, no_id);
  visits_ = nodes_ = 0;
  first_member_.assign(1, 0);
  members_.clear();
  for (BlockId b = 0; b < node_of_.size(); ++b)
    if (stays[b] != 0) {
      open_.push_back(b);
      close_node(b);
    } else if (number_[b] == no_id) {
      visit(b, stays);
    }
  list_successors();
  order_nodes();
}

void CondensedBlocks::enter(BlockId b) {
  number_[b] = lowest_[b] = visits_++;
  open_.push_back(b);
  path_.push_back({b, 0});
}

void CondensedBlocks::visit(BlockId root, std::span<const std::uint8_t> stays) {
  enter(root);
  while (!path_.empty()) {
    const BlockId b = path_.back().block;
    const auto targets = flow_.successors.targets_of(b);
    if (path_.back().next == targets.size()) {
      path_.pop_back();
      if (lowest_[b] == number_[b])
        close_node(b);
      else
        lowest_[path_.back().block] = std::min(lowest_[path_.back().block], lowest_[b]);
      continue;
    }
    const BlockId s = targets[path_.back().next++];
    if (stays[s] != 0)
      continue;
    if (number_[s] == no_id)
      enter(s);
    else if (node_of_[s] == no_id)
      lowest_[b] = std::min(lowest_[b], number_[s]);
  }
}

// The open blocks from `b` on become a node.
void CondensedBlocks::close_node(BlockId b) {
  BlockId member = no_id;
  while (member != b) {
    member = open_.back();
    open_.pop_back();
    node_of_[member] = nodes_;
    members_.push_back(member);
  }
  first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
  ++nodes_;
}

void CondensedBlocks::list_successors() {
  std::vector<std::uint32_t> seen(nodes_, no_id);
  first_.assign(1, 0);
  successors_.clear();
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    for (std::uint32_t i = first_member_[node]; i < first_member_[node + 1]; ++i)
      for (const BlockId s : flow_.successors.targets_of(members_[i]))
        if (seen[node_of_[s]] != node) {
          seen[node_of_[s]] = node;
          successors_.push_back(node_of_[s]);
        }
    first_.push_back(static_cast<std::uint32_t>(successors_.size()));
  }
}

void CondensedBlocks::order_nodes() {
  std::vector<bool> is_placed(nodes_, false);
  order_.clear();
  const auto place = [&](BlockId b) {
    if (!is_placed[node_of_[b]]) {
      is_placed[node_of_[b]] = true;
      order_.push_back(node_of_[b]);
    }
  };
  for (const BlockId b : flow_.tree.postorder)
    place(b);
  for (BlockId b = 0; b < node_of_.size(); ++b) // unreachable ones
    place(b);
}

} // namespace kerncast::machine
