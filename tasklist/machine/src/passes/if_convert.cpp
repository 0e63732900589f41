// If-conversion: a short body that a branch skips becomes predicated instructions behind the branch's block,
// which then issue whether or not any lane wants them. A body with barriers, atomics, calls, routines or what
// has to do with mbarriers stays behind its branch, and so does the rest of the kernel: a jump over it is an
// exit.
//
// Found by compiling bodies of 1 to 40 instructions with ptxas 13.0 for sm_75, sm_80, sm_86 and sm_90: how
// long a body may be depends on what it loads and on what is around it (limit_of), and of nested conditions
// the innermost alone is converted: `if (a) { x; if (b) y; }` is a branch over x, and y under b. Only where x
// is next to nothing and all for b (is_condition), it executes in any case, and y under a and b.
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
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

// Machine operations.
constexpr std::uint32_t longest_body = 20, longest_plain_body = 8, longest_condition = 5;

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
        last_of_body_(list_.blocks.size(), 0), guarded_(list_.tasks.size(), false),
        in_loop_(list_.blocks.size(), false),
        loads_shared_constants_(selection.isa != nullptr && selection.isa->has_row("constant.uniform.b32")) {
    for (const Block& block : list_.blocks)
      for (const BlockId s : block.successors)
        ++predecessors_[s];
    for (const tasklist::Loop& loop : list_.loops)
      for (const BlockId b : loop.blocks)
        in_loop_[b] = true;
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
  bool skips_short_body(BlockId b) {
    const Block& block = list_.blocks[b];
    if (block.task_count == 0 || block.successors.size() != 2 || block.successors.back() != b + 1)
      return false;
    const Task& branch = list_.tasks[block.first_task + block.task_count - 1];
    const BlockId join = block.successors.front();
    return branch.kind == TaskKind::branch && branch.predicated && branch.uses.count == 1 &&
           predecessors_[b + 1] == 1 && leads_to(b + 1, join) && join != b && !only_exits(join) &&
           is_of_function(b + 1, branch.call) &&
           (last_of_body_[b + 1] == 0 ? is_short(b + 1, join) : is_condition(b + 1));
  }

  // All of the body is of the function that was inlined for that call, or of the kernel itself.
  bool is_of_function(BlockId body, std::uint32_t call) const {
    return std::ranges::all_of(list_.tasks_of(list_.blocks[body]),
                               [call](const Task& task) { return task.call == call; });
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

  bool is_short(BlockId body, BlockId join) {
    std::uint32_t length = 0;
    const TaskRange tasks = tasks_of_body(body);
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      if (selection_.absorbed[id])
        continue;
      const Task& task = list_.tasks[id];
      length += lengths_[task.operation];
      if (!is_convertible(task) || length > longest_body)
        return false;
    }
    length += loads_shared_constants_ ? shared_constants(tasks) : 0;
    return length != 0 && (length <= longest_plain_body || length <= limit_of(body, join));
  }

  // In the constant bank, read by several tasks.
  std::uint32_t shared_constants(TaskRange tasks) {
    constants_.clear();
    for (TaskId id = tasks.begin; id < tasks.end; ++id)
      if (!selection_.absorbed[id])
        for (const std::uint32_t c : list_.constants_of(list_.tasks[id]))
          if (list_.constants[c].starts_with("c["))
            constants_.push_back(c);
    std::ranges::sort(constants_);
    std::uint32_t shared = 0;
    for (auto at = constants_.begin(); (at = std::adjacent_find(at, constants_.end())) != constants_.end();
         at = std::upper_bound(at, constants_.end(), *at))
      ++shared;
    return shared;
  }

  bool is_convertible(const Task& task) const {
    const bool is_plain =
        task.kind == TaskKind::compute || task.kind == TaskKind::load || task.kind == TaskKind::store;
    return is_plain && !has_effect(task) && !is_counted(selection_.operation(task)) && !task.predicated;
  }

  bool has_effect(const Task& task) const {
    return task.kind == TaskKind::compute && selection_.traits_of(task).side_effect;
  }

  // Long bodies load from global memory, or are in no loop; in front of a barrier they also have a result.
  std::uint32_t limit_of(BlockId body, BlockId join) {
    const TaskRange tasks = tasks_of_body(body);
    bool has_result = false;
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      const Task& task = list_.tasks[id];
      if (task.kind == TaskKind::load && (task.space == Space::global || task.space == Space::generic))
        return longest_body;
      has_result |= !is_read_within(tasks, id);
    }
    const Block& behind = list_.blocks[join];
    const TaskId end = behind.first_task + behind.task_count;
    TaskId first = behind.first_task;
    while (first < end && selection_.absorbed[first])
      ++first;
    const bool at_barrier = first < end && list_.tasks[first].kind == TaskKind::barrier;
    return in_loop_[body] || (at_barrier && !has_result) ? longest_plain_body : longest_body;
  }

  // A block that decides whether a converted body executes, and does nothing else.
  bool is_condition(BlockId b) {
    const Block& block = list_.blocks[b];
    const TaskRange tasks{block.first_task, block.first_task + block.task_count - 1};
    std::uint32_t length = 0;
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      if (selection_.absorbed[id])
        continue;
      const Task& task = list_.tasks[id];
      length += lengths_[task.operation];
      if (task.kind != TaskKind::compute || task.predicated || has_effect(task) ||
          length > longest_condition || !is_read_within({tasks.begin, tasks.end + 1}, id))
        return false;
    }
    return true;
  }

  void convert(BlockId b) {
    const Block& block = list_.blocks[b];
    const TaskId branch = block.first_task + block.task_count - 1;
    const ValueId guard = list_.uses(list_.tasks[branch]).front();
    const bool is_nested = last_of_body_[b + 1] != 0;
    selection_.absorbed[branch] = true;
    last_of_body_[b] = std::max(b + 1, last_of_body_[b + 1]);
    std::fill(selection_.head.begin() + b + 1, selection_.head.begin() + last_of_body_[b] + 1, b);
    selection_.appended[b + 1].clear(); // what an inner condition moved there goes on
    const TaskRange tasks = tasks_of_body(b + 1);
    for (TaskId id = tasks.begin; id < tasks.end; ++id) {
      if (selection_.absorbed[id])
        continue;
      if (!is_nested)
        guard_task(id, guard, tasks);
      else if (guarded_[id])
        wait_for(id, guard); // both conditions are one
      selection_.move_behind(id, b);
    }
  }

  void guard_task(TaskId id, ValueId guard, TaskRange body) {
    guarded_[id] = true;
    selection_.writes_anew[id] = is_read_within(body, id);
    wait_for(id, guard);
    list_.tasks[id].predicated = true;
  }

  // The guard is the last use, and of several the innermost condition, unless it is an operand as well.
  void wait_for(TaskId id, ValueId guard) {
    Task& task = list_.tasks[id];
    uses_.assign(list_.uses(task).begin(), list_.uses(task).end());
    if (std::ranges::find(uses_, guard) == uses_.end())
      uses_.insert(task.predicated ? uses_.end() - 1 : uses_.end(), guard);
    selection_.set_uses(task, uses_);
  }

  // What the task writes is written once, there, and read behind it within the tasks.
  bool is_read_within(TaskRange tasks, TaskId writer) {
    if (places_.empty())
      find_places();
    return std::ranges::all_of(list_.definitions(list_.tasks[writer]), [&](ValueId v) {
      return places_[v].writes == 1 && places_[v].first_read > writer && places_[v].last_read < tasks.end;
    });
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<std::uint32_t> predecessors_; // by block: number
  std::vector<std::uint32_t> constants_;    // of the body at hand
  std::vector<std::uint32_t> lengths_;      // by operation: machine operations
  std::vector<BlockId> last_of_body_;       // by block whose branch was converted: last one it skips; else 0
  std::vector<bool> guarded_;               // by task: predicated here
  std::vector<bool> in_loop_;               // by block
  // Once for all that read one, as an operation of its own (ULDC on sm_90).
  bool loads_shared_constants_;
  std::vector<Places> places_; // by value, as the text has them; found when first asked for
  std::vector<ValueId> uses_;  // of the task at hand
};

} // namespace

void if_convert(Selection& selection) { Converter(selection).run(); }

} // namespace kerncast::machine
