// The control-flow graph with blocks taken together that a question cannot tell apart: those that neither
// read nor write what is asked about and lie on one cycle. What holds at the beginning of one holds at all of
// them.
#pragma once

#include <span>
#include <vector>

#include "tasklist/control_flow.h"

namespace kerncast::machine {

class CondensedBlocks {
public:
  explicit CondensedBlocks(const tasklist::ControlFlow& flow);

  // Blocks for which `stays` is not zero become nodes of their own.
  void condense(std::span<const std::uint8_t> stays);

  std::uint32_t node_of(tasklist::BlockId b) const { return node_of_[b]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  // Each once; the node itself where it is on a cycle of its own blocks.
  std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(successors_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

  // All nodes, mostly behind their successors.
  std::span<const std::uint32_t> order() const { return order_; }

private:
  struct Visit {
    tasklist::BlockId block = 0;
    std::uint32_t next = 0; // successor
  };

  void visit(tasklist::BlockId root, std::span<const std::uint8_t> stays);
  void enter(tasklist::BlockId b);
  void close_node(tasklist::BlockId b);
  void list_successors();
  void order_nodes();

  const tasklist::ControlFlow& flow_;
  std::vector<std::uint32_t> node_of_;         // by block
  std::vector<std::uint32_t> number_, lowest_; // by block: of the visit, and the lowest on its cycles
  std::vector<tasklist::BlockId> open_;        // visited, not yet in a node
  std::vector<Visit> path_;
  std::uint32_t visits_ = 0, nodes_ = 0;
  std::vector<std::uint32_t> first_, successors_; // by node, one more at the end
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_member_; // by node, in members_, one more at the end
  std::vector<tasklist::BlockId> members_;
};

} // namespace kerncast::machine
