// Asynchronous copies to shared memory (LDGSTS) keep a distance from other accesses to it: where a load,
// store or atomic operation of shared memory or a barrier came last, ptxas 13.0 puts three loads that no
// lane executes (@!PT LDS RZ, [RZ]) in front of the copy, and none in front of copies that follow it. What
// came last is known within a block; on sm_80 to sm_89 also at a kernel's begin and behind the only block
// that leads to one, on sm_90 and later at the begin of no block (found by compiling copies with each other
// operation in front, in one block, in loops, and behind branches). A row "spaced.cp.async" has the copy
// and its distance, a row "spaced.first.cp.async" the same where nothing came before in its block;
// architectures without one keep none.
#include <algorithm>

#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using tasklist::Task;
using tasklist::TaskId;

constexpr std::string_view spaced = "spaced.cp.async", spaced_first = "spaced.first.cp.async";
constexpr BlockId several = no_id - 1;

bool is_copy(std::string_view operation) {
  return operation.starts_with("cp.async.ca.") || operation.starts_with("cp.async.cg.");
}

bool is_of_shared_memory(const Task& task) {
  return task.kind == tasklist::TaskKind::barrier ||
         (tasklist::is_memory(task.kind) && task.space == tasklist::Space::shared);
}

class Spacer {
public:
  Spacer(Selection& selection, bool begins_anew)
      : selection_(selection), list_(selection.list), begins_anew_(begins_anew),
        predecessor_(list_.blocks.size(), no_id), shared_is_last_(list_.blocks.size(), true) {
    for (const std::string& operation : list_.operations)
      is_copy_.push_back(is_copy(operation));
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      for (const BlockId s : list_.blocks[b].successors)
        note_edge(selection.head[b], selection.head[s], b, s);
  }

  void run() {
    for (BlockId b = 0; b < list_.blocks.size(); ++b) {
      operation_ = begins_anew_ ? spaced_first : spaced;
      bool shared_is_last = begins_anew_ || shared_is_last_before(b);
      const tasklist::Block& block = list_.blocks[b];
      for (TaskId task = block.first_task; task < block.first_task + block.task_count; ++task)
        if (!selection_.moved[task])
          shared_is_last = pass(task, shared_is_last);
      for (const TaskId task : selection_.appended[b])
        shared_is_last = pass(task, shared_is_last);
      shared_is_last_[b] = shared_is_last;
    }
  }

private:
  // Blocks that execute together are one; an edge back to its begin makes a loop.
  void note_edge(BlockId from, BlockId to, BlockId from_block, BlockId to_block) {
    if (from == to && to_block != from_block && to_block != to)
      return;
    predecessor_[to] = predecessor_[to] == no_id || predecessor_[to] == from ? from : several;
  }

  bool shared_is_last_before(BlockId b) const {
    const BlockId from = predecessor_[b];
    if (from == no_id)
      return b != 0;
    return from >= b || shared_is_last_[from];
  }

  // What the task leaves.
  bool pass(TaskId id, bool shared_is_last) {
    Task& task = list_.tasks[id];
    if (is_of_shared_memory(task)) {
      operation_ = spaced;
      return true;
    }
    if (task.operation >= is_copy_.size() || !is_copy_[task.operation])
      return shared_is_last;
    if (shared_is_last)
      selection_.set_operation(task, operation_);
    return false;
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  bool begins_anew_;
  std::vector<BlockId> predecessor_; // by block that others execute with: the only one, or `several`
  std::vector<bool> shared_is_last_; // by block: at its end
  std::vector<bool> is_copy_;        // by operation of the list as it was
  std::string_view operation_;
};

} // namespace

void space_copies(Selection& selection, const configs::IsaTable& isa) {
  if (isa.has_row(spaced) && std::ranges::any_of(selection.list.operations, is_copy))
    Spacer(selection, isa.has_row(spaced_first)).run();
}

} // namespace kerncast::machine
