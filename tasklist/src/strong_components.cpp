// Kosaraju's method: in reverse postorder of the graph, everything that reaches a node and has no number yet
// is of its component. Unreachable blocks are components of their own and on no cycle.
#include "tasklist/control_flow.h"

namespace kerncast::tasklist {

StrongComponents::StrongComponents(const ControlFlow& flow)
    : component_(flow.successors.node_count(), no_id), is_cycle_(flow.successors.node_count(), false) {
  std::vector<BlockId> pending;
  for (std::size_t i = flow.tree.postorder.size(); i-- > 0;) {
    const BlockId root = flow.tree.postorder[i];
    if (component_[root] != no_id) {
      continue;
    }
    component_[root] = root;
    pending.push_back(root);
    while (!pending.empty()) {
      const BlockId block = pending.back();
      pending.pop_back();
      for (const BlockId p : flow.predecessors.targets_of(block)) {
        if (flow.tree.number[p] != no_id && component_[p] == no_id) {
          component_[p] = root;
          is_cycle_[p] = true;
          pending.push_back(p);
        }
        is_cycle_[root] = is_cycle_[root] || component_[p] == root;
      }
    }
  }
}

} // namespace kerncast::tasklist
