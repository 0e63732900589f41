#include "convergence.h"

#include <algorithm>

#include "tasklist/graph.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;

// Special registers that lanes read differently.
constexpr std::string_view lane_registers[] = {"tid",   "laneid",  "lanemask",
                                               "clock", "clock64", "globaltimer"};

bool starts_divergent(const Selection& selection, const Task& task) {
  if (task.kind == TaskKind::load)
    return task.space != Space::param && task.space != Space::constant;
  if (task.kind == TaskKind::atomic)
    return true;
  const std::string_view operation = selection.operation(task);
  const std::size_t special = operation.find(".special.");
  if (special == std::string_view::npos)
    return operation.starts_with("shfl.");
  const std::string_view source = operation.substr(special + std::string_view(".special.").size());
  return std::ranges::any_of(lane_registers, [&](std::string_view name) { return source.starts_with(name); });
}

// What all lanes get alike, whatever they put in.
bool is_warp_wide(std::string_view operation) {
  return operation.starts_with("vote.") || operation.starts_with("redux.") ||
         operation.starts_with("activemask");
}

std::vector<bool> divergent_values(const Selection& selection) {
  const tasklist::Tasklist& list = selection.list;
  std::vector<bool> divergent(list.value_classes.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < list.tasks.size(); ++i) {
      const Task& task = list.tasks[i];
      if (selection.absorbed[i] || task.definitions.count == 0 || is_warp_wide(selection.operation(task)))
        continue;
      const auto is_divergent = [&](tasklist::ValueId v) { return divergent[v]; };
      if (!std::ranges::any_of(list.uses(task), is_divergent) && !starts_divergent(selection, task))
        continue;
      for (const tasklist::ValueId v : list.definitions(task)) {
        changed |= !divergent[v];
        divergent[v] = true;
      }
    }
  }
  return divergent;
}

class ConvergenceFinder {
public:
  explicit ConvergenceFinder(const Selection& selection)
      : selection_(selection), list_(selection.list), divergent_(divergent_values(selection)),
        dominators_(tasklist::immediate_dominators(list_.blocks)),
        joins_(tasklist::immediate_post_dominators(list_.blocks)), innermost_(list_.blocks.size(), no_id) {
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
  std::vector<bool> divergent_; // by value
  std::vector<BlockId> dominators_, joins_;
  std::vector<std::uint32_t> innermost_; // by block: loop
};

} // namespace

Convergence find_convergence(const Selection& selection) { return ConvergenceFinder(selection).run(); }

} // namespace kerncast::machine
