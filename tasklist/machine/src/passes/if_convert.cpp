// If-conversion: a short body that a branch skips becomes predicated instructions behind the branch's block,
// which then issue whether or not any lane wants them (ptxas does so for up to some eight instructions
// without barriers, calls or routines; what has to do with mbarriers stays behind its branch here). So do
// conditions within the body that skip what is left of it, whose predicates take in the outer one: `if (a) {
// x; if (b) y; }` is x under a and y under a and b. A jump over the rest of the kernel stays: it is an exit.
//
// Accesses go there, too: the branch's block then has those of the body, of no lane where all lanes skip it
// (JoinedBlock).
#include <algorithm>

#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Block;
using tasklist::BlockId;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::uint32_t longest_body = 8; // machine operations; study of measured kernels, ptxas 13.0

struct TaskRange {
  TaskId begin = 0;
  TaskId end = 0;
};

// Where the text writes and reads a value.
struct Places {
  std::uint32_t writes = 0;
  TaskId first_read = tasklist::no_id, last_read = 0;
};

// Whether the operation arrives at an mbarrier or waits there: of no lane it would count all the same.
bool is_counted(std::string_view operation) {
  bool is_bulk = false, is_async = false;
  tasklist::for_each_part(operation, [&](std::string_view part) {
    is_bulk |= part == "bulk";
    is_async |= part == "async";
  });
  return operation.starts_with("mbarrier.") || is_bulk || (is_async && !operation.starts_with("cp."));
}

class Converter {
public:
  explicit Converter(Selection& selection)
      : selection_(selection), list_(selection.list), predecessors_(list_.blocks.size(), 0),
        last_of_body_(list_.blocks.size(), 0), guarded_(list_.tasks.size(), false) {
    for (const Block& block : list_.blocks)
      for (const BlockId s : block.successors)
        ++predecessors_[s];
    for (const configs::IsaRow* row : selection.rows)
      lengths_.push_back(length_of(row));
  }

  // Inner conditions first: the blocks of a text are in order.
  void run() {
    for (auto b = static_cast<BlockId>(list_.blocks.size()); b-- > 0;)
      if (skips_short_body(b))
        convert(b);
  }

private:
  // Of operations with routines and of those that the table lacks: too long.
  static std::uint32_t length_of(const configs::IsaRow* row) {
    if (row == nullptr || !row->routine.empty())
      return longest_body + 1;
    std::uint32_t length = 0;
    for (const configs::MachineOpSpec& op : row->machine)
      length += op.count;
    return length;
  }

  void find_places() {
    places_.resize(list_.value_classes.size());
    for (TaskId id = 0; id < list_.tasks.size(); ++id) {
      for (const ValueId v : list_.definitions(list_.tasks[id]))
        ++places_[v].writes;
      for (const ValueId v : list_.uses(list_.tasks[id])) {
        places_[v].first_read = std::min(places_[v].first_read, id);
        places_[v].last_read = id;
      }
    }
  }

  // Block b ends with a branch over the next one.
  bool skips_short_body(BlockId b) const {
    const Block& block = list_.blocks[b];
    if (block.task_count == 0 || block.successors.size() != 2 || block.successors.back() != b + 1)
      return false;
    const Task& branch = list_.tasks[block.first_task + block.task_count - 1];
    const BlockId join = block.successors.front();
    return branch.kind == TaskKind::branch && branch.predicated && branch.uses.count == 1 &&
           predecessors_[b + 1] == 1 && leads_to(b + 1, join) && join != b && !only_exits(join) &&
           is_short(b + 1);
  }

  // A body ends at the join by itself or with what its own condition skips.
  bool leads_to(BlockId body, BlockId join) const {
    const auto& successors = list_.blocks[body].successors;
    return !successors.empty() && successors.front() == join &&
           (successors.size() == 1 || last_of_body_[body] != 0);
  }

  // With the bodies of converted conditions in it.
  TaskRange tasks_of_body(BlockId body) const {
    const Block& last = list_.blocks[std::max(body, last_of_body_[body])];
    return {list_.blocks[body].first_task, last.first_task + last.task_count};
  }

  bool only_exits(BlockId b) const {
    const auto tasks = list_.tasks_of(list_.blocks[b]);
    return !tasks.empty() && tasks.front().kind == TaskKind::exit;
  }

  bool is_short(BlockId body) const {
    std::uint32_t length = 0;
    const TaskRange tasks = tasks_of_body(body);
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      const Task& task = list_.tasks[id];
      if (selection_.absorbed[id])
        continue;
      const bool is_plain =
          task.kind == TaskKind::compute || task.kind == TaskKind::load || task.kind == TaskKind::store;
      const bool has_effect = task.kind == TaskKind::compute && selection_.traits_of(task).side_effect;
      length += lengths_[task.operation];
      if (!is_plain || has_effect || is_counted(selection_.operation(task)) ||
          (task.predicated && !guarded_[id]) || length > longest_body)
        return false;
    }
    return length != 0;
  }

  void convert(BlockId b) {
    if (places_.empty())
      find_places();
    const Block& block = list_.blocks[b];
    const TaskId branch = block.first_task + block.task_count - 1;
    const ValueId guard = list_.uses(list_.tasks[branch]).front();
    selection_.absorbed[branch] = true;
    last_of_body_[b] = std::max(b + 1, last_of_body_[b + 1]);
    std::fill(selection_.head.begin() + b + 1, selection_.head.begin() + last_of_body_[b] + 1, b);
    selection_.appended[b + 1].clear(); // what an inner condition moved there goes on
    const TaskRange tasks = tasks_of_body(b + 1);
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      if (selection_.absorbed[id])
        continue;
      guard_task(id, guard, tasks);
      selection_.move_behind(id, b);
    }
  }

  // An inner guard takes in the outer one where it is computed.
  void guard_task(TaskId id, ValueId guard, TaskRange body) {
    if (guarded_[id])
      return;
    guarded_[id] = true;
    Task& task = list_.tasks[id];
    selection_.writes_anew[id] =
        std::ranges::all_of(list_.definitions(task), [&](ValueId v) { return stays_in(body, id, v); });
    uses_.assign(list_.uses(task).begin(), list_.uses(task).end());
    if (std::ranges::find(uses_, guard) == uses_.end())
      uses_.push_back(guard);
    selection_.set_uses(task, uses_);
    task.predicated = true;
  }

  // The value is written once, there, and read behind it within the body.
  bool stays_in(TaskRange body, TaskId writer, ValueId v) const {
    return places_[v].writes == 1 && places_[v].first_read > writer && places_[v].last_read < body.end;
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<std::uint32_t> predecessors_; // by block: number
  std::vector<std::uint32_t> lengths_;      // by operation: machine operations
  std::vector<BlockId> last_of_body_;       // by block whose branch was converted: last one it skips; else 0
  std::vector<bool> guarded_;               // by task: predicated here
  std::vector<Places> places_;              // by value, as the text has them; found at the first conversion
  std::vector<ValueId> uses_;               // of the task at hand
};

} // namespace

void if_convert(Selection& selection) { Converter(selection).run(); }

} // namespace kerncast::machine
