// Joining: a block that always follows another, and that nothing else leads to, executes with it, so that the
// compiler orders the operations of both together. Most such blocks are behind conditions that if-conversion
// took out: the twelve tests of an unrolled loop become one straight line.
//
// A block with barriers or calls stays for itself. Branches stay where they are; they come last.
#include <algorithm>
#include <optional>
#include <utility>

#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Block;
using tasklist::BlockId;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;

// So that those of a straight line, and of what it spills, have numbers (MachineOp::access).
constexpr std::size_t most_accesses = UINT16_MAX / 2;

class Joiner {
public:
  explicit Joiner(Selection& selection)
      : selection_(selection), list_(selection.list), follower_(list_.blocks.size()),
        predecessors_(list_.blocks.size(), 0), accesses_(list_.blocks.size()) {
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      accesses_[b] = count_accesses(b);
    // What a converted condition skips is left out of the flow.
    std::vector<bool> is_skipped(list_.blocks.size(), false);
    for (BlockId b = 0; b < list_.blocks.size(); ++b) {
      if (is_skipped[b])
        continue;
      follower_[b] = follower_of(b, is_skipped);
      if (follower_[b])
        ++predecessors_[*follower_[b]];
      else
        for (const BlockId s : list_.blocks[b].successors)
          ++predecessors_[s];
    }
  }

  void run() {
    std::vector<bool> is_joined(list_.blocks.size(), false);
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      for (std::optional<BlockId> next = follower_[b]; next && !is_joined[b] && may_join(b, *next);
           next = follower_[*next]) {
        join(b, *next);
        is_joined[*next] = true;
      }
  }

private:
  // Its last task, if that is a branch; else the list's end.
  TaskId branch_of(BlockId b) const {
    const Block& block = list_.blocks[b];
    const TaskId last = block.first_task + block.task_count - 1;
    return block.task_count > 0 && list_.tasks[last].kind == TaskKind::branch
               ? last
               : static_cast<TaskId>(list_.tasks.size());
  }

  bool ends_with_branch(BlockId b) const {
    const TaskId branch = branch_of(b);
    return branch != list_.tasks.size() && !selection_.absorbed[branch];
  }

  // If-conversion has taken its branch out, over the next block or over some.
  bool is_converted(BlockId b) const {
    const auto& successors = list_.blocks[b].successors;
    return successors.size() == 2 && successors.back() == b + 1 && branch_of(b) != list_.tasks.size() &&
           !ends_with_branch(b);
  }

  bool is_empty(BlockId b) const {
    const Block& block = list_.blocks[b];
    for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id)
      if (!selection_.absorbed[id] && !selection_.moved[id])
        return false;
    return selection_.appended[b].empty();
  }

  // The block that always follows b, if one does without a branch: b falls into it, or skips only empty ones.
  std::optional<BlockId> follower_of(BlockId b, std::vector<bool>& is_skipped) const {
    const auto& successors = list_.blocks[b].successors;
    if (successors.size() == 1 && !ends_with_branch(b))
      return successors.front();
    if (!is_converted(b))
      return std::nullopt;
    const BlockId join = successors.front();
    BlockId end = b + 1;
    for (; end != join; ++end)
      if (end == list_.blocks.size() || !is_empty(end) || !leads_on(end, join))
        return std::nullopt;
    std::fill(is_skipped.begin() + b + 1, is_skipped.begin() + end, true);
    return join;
  }

  // A block of a body: to the next one or to where the body ends.
  bool leads_on(BlockId x, BlockId join) const {
    const auto& successors = list_.blocks[x].successors;
    return (successors.size() == 1 && (successors.front() == x + 1 || successors.front() == join)) ||
           (is_converted(x) && successors.front() == join);
  }

  // Its own and those that if-conversion moved there.
  std::size_t count_accesses(BlockId b) const {
    return tasklist::accesses_of(list_, b) +
           static_cast<std::size_t>(std::ranges::count_if(
               selection_.appended[b], [&](TaskId id) { return tasklist::is_memory(list_.tasks[id].kind); }));
  }

  bool may_join(BlockId b, BlockId next) const {
    const Block& block = list_.blocks[next];
    if (next <= b || predecessors_[next] != 1 || accesses_[b] + accesses_[next] > most_accesses)
      return false;
    for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id)
      if (!selection_.absorbed[id] && !moves(list_.tasks[id]) && list_.tasks[id].kind != TaskKind::branch)
        return false;
    return true;
  }

  bool moves(const Task& task) const {
    return tasklist::is_memory(task.kind) ||
           (task.kind == TaskKind::compute && !selection_.traits_of(task).side_effect);
  }

  void join(BlockId b, BlockId next) {
    accesses_[b] += accesses_[next];
    for (BlockId x = next; x < list_.blocks.size() && (x == next || selection_.head[x] == next); ++x)
      selection_.head[x] = b;
    const Block& block = list_.blocks[next];
    for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id)
      if (!selection_.absorbed[id] && !selection_.moved[id] && moves(list_.tasks[id]))
        selection_.move_behind(id, b);
    for (const TaskId id : std::exchange(selection_.appended[next], {}))
      selection_.move_behind(id, b);
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<std::optional<BlockId>> follower_; // by block: the one that always follows it
  std::vector<std::uint32_t> predecessors_;      // by block: ways that lead to it
  std::vector<std::size_t> accesses_;            // by block: of what executes there
};

} // namespace

void join_blocks(Selection& selection) { Joiner(selection).run(); }

} // namespace kerncast::machine
