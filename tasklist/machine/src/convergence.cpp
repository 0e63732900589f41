#include "convergence.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;

class ConvergenceFinder {
public:
  ConvergenceFinder(const Selection& selection, const tasklist::ControlFlow& flow,
                    const std::vector<bool>& divergent)
      : selection_(selection), list_(selection.list), divergent_(divergent),
        dominators_(flow.immediate_dominators), joins_(tasklist::immediate_post_dominators(list_.blocks)),
        innermost_(list_.blocks.size(), no_id) {
    for (std::uint32_t loop = 0; loop < list_.loops.size(); ++loop) // outer loops come first
      for (const BlockId b : list_.loops[loop].blocks)
        innermost_[b] = loop;
  }

  Convergence run() {
    Convergence result;
    result.begun.assign(list_.blocks.size(), 0);
    result.ended.assign(list_.blocks.size(), 0);
    std::vector<bool> is_join(list_.blocks.size(), false);
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      if (branches_apart(b) && joins_[b] != no_id && !only_exits(joins_[b]) && !is_join[joins_[b]]) {
        is_join[joins_[b]] = true;
        ++result.begun[beginning(b, joins_[b])];
        ++result.ended[joins_[b]];
      }
    return result;
  }

private:
  bool branches_apart(BlockId b) const {
    const tasklist::Block& block = list_.blocks[b];
    if (block.successors.size() < 2 || block.task_count == 0)
      return false;
    const std::uint32_t end = block.first_task + block.task_count - 1;
    const Task& last = list_.tasks[end];
    return !selection_.absorbed[end] && last.kind == TaskKind::branch &&
           std::ranges::any_of(list_.uses(last), [&](tasklist::ValueId v) { return divergent_[v]; });
  }

  // Lanes that only leave the kernel need not meet before.
  bool only_exits(BlockId b) const {
    const auto tasks = list_.tasks_of(list_.blocks[b]);
    return !tasks.empty() && tasks.front().kind == TaskKind::exit;
  }

  // In front of the join's region, outside of loops that the join is not in.
  BlockId beginning(BlockId branch, BlockId join) const {
    BlockId b = branch;
    while (innermost_[b] != no_id && dominators_[b] != no_id &&
           !std::ranges::binary_search(list_.loops[innermost_[b]].blocks, join))
      b = dominators_[b];
    return b;
  }

  const Selection& selection_;
  const tasklist::Tasklist& list_;
  const std::vector<bool>& divergent_; // by value
  std::span<const BlockId> dominators_;
  std::vector<BlockId> joins_;
  std::vector<std::uint32_t> innermost_; // by block: loop
};

} // namespace

Convergence find_convergence(const Selection& selection, const tasklist::ControlFlow& flow,
                             const std::vector<bool>& divergent) {
  return ConvergenceFinder(selection, flow, divergent).run();
}

} // namespace kerncast::machine
