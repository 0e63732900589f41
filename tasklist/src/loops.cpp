#include <algorithm>

#include "tasklist/control_flow.h"

namespace kerncast::tasklist {

namespace {

// All blocks from which a latch is reachable without passing the header. `seen` holds the number of the
// last header whose loop a block was put into; `pending` begins with the latches.
std::vector<BlockId> loop_body(const ControlFlow& flow, BlockId header, std::vector<BlockId>& pending,
                               std::vector<BlockId>& seen) {
  std::vector<BlockId> body{header};
  seen[header] = header;
  while (!pending.empty()) {
    const BlockId block = pending.back();
    pending.pop_back();
    if (seen[block] == header || flow.tree.number[block] == no_id) {
      continue;
    }
    seen[block] = header;
    body.push_back(block);
    const auto predecessors = flow.predecessors.targets_of(block);
    pending.insert(pending.end(), predecessors.begin(), predecessors.end());
  }
  std::sort(body.begin(), body.end());
  return body;
}

} // namespace

std::vector<Loop> find_loops(std::span<const Block> blocks) { return find_loops(ControlFlow(blocks)); }

std::vector<Loop> find_loops(const ControlFlow& flow) {
  std::vector<Loop> loops;
  std::vector<BlockId> seen(flow.successors.node_count(), no_id);
  std::vector<std::uint32_t> innermost(flow.successors.node_count(), no_id);
  // An outer header dominates the headers inside and so comes before them in preorder.
  std::vector<BlockId> latches;
  for (const BlockId header : flow.tree.order) {
    latches.clear();
    for (const BlockId predecessor : flow.predecessors.targets_of(header)) {
      if (flow.dominators.dominates(header, predecessor)) {
        latches.push_back(predecessor);
      }
    }
    if (latches.empty()) {
      continue;
    }
    Loop loop{header, innermost[header], loop_body(flow, header, latches, seen)};
    for (const BlockId block : loop.blocks) {
      innermost[block] = static_cast<std::uint32_t>(loops.size());
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<Edge> irreducible_edges(std::span<const Block> blocks) {
  return irreducible_edges(ControlFlow(blocks));
}

std::vector<Edge> irreducible_edges(const ControlFlow& flow) {
  std::vector<Edge> edges;
  for (std::uint32_t number = 0; number < flow.tree.order.size(); ++number) {
    const BlockId from = flow.tree.order[number];
    for (const BlockId to : flow.successors.targets_of(from)) {
      const std::uint32_t target = flow.tree.number[to];
      const bool retreating = target <= number && number <= flow.tree.last_below[target];
      if (retreating && !flow.dominators.dominates(to, from)) {
        edges.push_back({from, to});
      }
    }
  }
  return edges;
}

} // namespace kerncast::tasklist
