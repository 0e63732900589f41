// Registers that several tasks write are followed by their writers inside and outside of the loop. Left out:
// conditions on the negated predicate are read as if they were not negated (compilers write the positive
// one).
#include "tasklist/counted_loops.h"

#include <algorithm>

#include "tasklist/integer_text.h"

namespace kerncast::tasklist {
namespace {

// The comparison holds while the loop goes on.
struct Condition {
  std::string_view name;
  std::uint64_t (*trips)(std::int64_t distance, std::int64_t step); // 0: never ends, or not known
};

std::uint64_t quotient(std::int64_t distance, std::int64_t step, bool round_up, std::int64_t add) {
  if (step == 0 || (distance < 0) != (step < 0))
    return 0;
  const std::int64_t rest = round_up && distance % step != 0 ? 1 : 0;
  return static_cast<std::uint64_t>(distance / step + rest + add);
}

constexpr Condition conditions[] = {
    {"ne",
     [](std::int64_t d, std::int64_t s) { return s != 0 && d % s == 0 ? quotient(d, s, false, 0) : 0; }},
    {"lt", [](std::int64_t d, std::int64_t s) { return s > 0 ? quotient(d, s, true, 0) : 0; }},
    {"gt", [](std::int64_t d, std::int64_t s) { return s < 0 ? quotient(d, s, true, 0) : 0; }},
    {"le", [](std::int64_t d, std::int64_t s) { return s > 0 ? quotient(d, s, false, 1) : 0; }},
    {"ge", [](std::int64_t d, std::int64_t s) { return s < 0 ? quotient(d, s, false, 1) : 0; }},
    {"lo", [](std::int64_t d, std::int64_t s) { return s > 0 ? quotient(d, s, true, 0) : 0; }},
    {"ls", [](std::int64_t d, std::int64_t s) { return s > 0 ? quotient(d, s, false, 1) : 0; }}};

// What a comparison takes its operands for; beyond it they wrap around.
struct Representable {
  std::int64_t least = 0, most = 0;

  bool hold(std::initializer_list<std::int64_t> values) const {
    return std::ranges::all_of(values, [&](std::int64_t v) { return least <= v && v <= most; });
  }
};

Representable range_of(std::string_view operation) {
  const bool is_short = operation.ends_with("16");
  const bool is_unsigned = operation.find(".u") != operation.npos ||
                           operation.find(".lo.") != operation.npos ||
                           operation.find(".ls.") != operation.npos;
  const bool has_order = operation.find(".ne.") == operation.npos;
  const std::int64_t most = is_short ? INT16_MAX : INT32_MAX;
  return {is_unsigned && has_order ? 0 : -most, most};
}

// The condition of a setp of integers; null for others.
const Condition* condition_of(std::string_view operation) {
  constexpr std::string_view opcode = "setp.";
  if (!operation.starts_with(opcode))
    return nullptr;
  operation.remove_prefix(opcode.size());
  const std::size_t dot = operation.find('.');
  const std::string_view type = dot == std::string_view::npos ? "" : operation.substr(dot + 1);
  if (type.size() < 3 || (type.front() != 's' && type.front() != 'u' && type.front() != 'b'))
    return nullptr;
  const auto found = std::ranges::find(conditions, operation.substr(0, dot), &Condition::name);
  return found == std::end(conditions) ? nullptr : found;
}

class Finder {
public:
  Finder(const Tasklist& list, const ControlFlow& flow) : list_(list), flow_(flow) {
    if (list_.loops.empty())
      return;
    has_inner_.assign(list_.loops.size(), false);
    for (const Loop& loop : list_.loops)
      if (loop.parent != no_id)
        has_inner_[loop.parent] = true;
    innermost_.assign(list_.blocks.size(), no_id);
    for (std::uint32_t i = 0; i < list_.loops.size(); ++i) // outer loops come first
      for (const BlockId b : list_.loops[i].blocks)
        innermost_[b] = i;
    list_writers();
  }

  std::vector<CountedLoop> run() const {
    std::vector<CountedLoop> found;
    for (std::uint32_t i = 0; i < list_.loops.size(); ++i)
      if (!has_inner_[i])
        if (const auto loop = counted(i))
          found.push_back(*loop);
    return found;
  }

private:
  std::string_view operation_of(const Task& task) const { return list_.operations[task.operation]; }

  struct Writer {
    TaskId task = 0;
    std::uint32_t loop = no_id; // innermost one around it
  };

  void list_writers() {
    first_.assign(list_.value_classes.size() + 1, 0);
    for (const Task& task : list_.tasks)
      for (const ValueId v : list_.definitions(task))
        ++first_[v];
    std::uint32_t end = 0; // filling backward turns each end into its begin
    for (std::uint32_t& first : first_)
      first = end += first;
    writers_.resize(end);
    for (auto b = static_cast<BlockId>(list_.blocks.size()); b-- > 0;)
      for (std::uint32_t i = list_.blocks[b].task_count; i-- > 0;) {
        const TaskId id = list_.blocks[b].first_task + i;
        for (const ValueId v : list_.definitions(list_.tasks[id]))
          writers_[--first_[v]] = {id, innermost_[b]};
      }
  }

  std::span<const Writer> writers_of(ValueId v) const {
    return std::span(writers_).subspan(first_[v], first_[v + 1] - first_[v]);
  }

  // The only task of the loop that writes the value, no_id if there is none or several.
  TaskId writer_in(std::uint32_t loop, ValueId v) const {
    TaskId writer = no_id;
    for (const Writer& w : writers_of(v))
      if (w.loop == loop) {
        if (writer != no_id)
          return no_id;
        writer = w.task;
      }
    return writer;
  }

  // The task of the block that writes last what the branch reads, no_id if there is none.
  TaskId writer_before(TaskId branch, BlockId block) const {
    for (TaskId id = branch; id-- > list_.blocks[block].first_task;)
      if (std::ranges::find(list_.definitions(list_.tasks[id]), list_.uses(list_.tasks[branch]).front()) !=
          list_.definitions(list_.tasks[id]).end())
        return id;
    return no_id;
  }

  bool stays_in(std::uint32_t loop, ValueId v) const {
    return std::ranges::none_of(writers_of(v), [&](const Writer& w) { return w.loop == loop; });
  }

  struct Exits {
    BlockId latch = no_id; // the block with the only way back, which is a way out, too; no_id: there is none
    bool has_others = false;
  };

  Exits exits_of(const Loop& loop) const {
    Exits exits;
    for (const BlockId b : loop.blocks) {
      const auto leaves = [&](BlockId s) { return !std::ranges::binary_search(loop.blocks, s); };
      const auto ways_out = std::ranges::count_if(list_.blocks[b].successors, leaves);
      const auto ways_back = std::ranges::count(list_.blocks[b].successors, loop.header);
      if (ways_back == 0) {
        exits.has_others |= ways_out != 0;
        continue;
      }
      if (exits.latch != no_id || ways_out != 1 || ways_back != 1)
        return {};
      exits.latch = b;
    }
    return exits;
  }

  std::optional<CountedLoop> counted(std::uint32_t index) const {
    const auto [latch, has_other_exits] = exits_of(list_.loops[index]);
    if (latch == no_id || list_.blocks[latch].task_count == 0)
      return std::nullopt;
    CountedLoop result;
    result.loop = index;
    result.has_other_exits = has_other_exits;
    result.latch = latch;
    result.branch = list_.blocks[latch].first_task + list_.blocks[latch].task_count - 1;
    const Task& branch = list_.tasks[result.branch];
    if (branch.kind != TaskKind::branch || !branch.predicated || branch.uses.count != 1)
      return std::nullopt;
    result.comparison = writer_before(result.branch, latch);
    if (result.comparison == no_id)
      result.comparison = writer_in(index, list_.uses(branch).front());
    if (result.comparison == no_id)
      return std::nullopt;
    return with_step(result) ? std::optional(result) : std::nullopt;
  }

  // Finds what the comparison counts, and the trips where they are constant.
  bool with_step(CountedLoop& loop) const {
    const Task& comparison = list_.tasks[loop.comparison];
    const Condition* condition = condition_of(operation_of(comparison));
    if (condition == nullptr || comparison.predicated || comparison.uses.count > 2 ||
        comparison.uses.count + comparison.constants.count != 2)
      return false;
    for (const ValueId v : list_.uses(comparison)) {
      const auto step = step_of(loop, v);
      const auto others = list_.uses(comparison);
      if (!step || !std::ranges::all_of(others, [&](ValueId u) { return u == v || stays_in(loop.loop, u); }))
        continue;
      loop.step = step->task;
      loop.trips = trips(loop, *condition, *step);
      return true;
    }
    return false;
  }

  struct Step {
    TaskId task = 0;
    ValueId counter = no_id; // what enters the loop with the first value that is stepped from
    std::int64_t distance = 0;
  };

  // v = u + constant, where u is v or a copy of it from the trip before.
  std::optional<Step> step_of(const CountedLoop& loop, ValueId v) const {
    const TaskId id = writer_in(loop.loop, v);
    if (id == no_id)
      return std::nullopt;
    const Task& task = list_.tasks[id];
    const std::string_view operation = operation_of(task);
    const bool subtracts = operation.starts_with("sub.");
    if ((!subtracts && !operation.starts_with("add.")) || task.predicated || task.uses.count != 1 ||
        task.constants.count != 1)
      return std::nullopt;
    const auto constant = integer(list_.constants_of(task)[0]);
    const ValueId counter = counter_of(loop, id, v);
    if (!constant || counter == no_id)
      return std::nullopt;
    return Step{id, counter, subtracts ? -*constant : *constant};
  }

  // A copy that is made behind the step has the value of the trip before when the step reads it, and its own
  // first one; a copy made in front of the step has what v enters with. no_id: the step reads something else.
  ValueId counter_of(const CountedLoop& loop, TaskId step, ValueId v) const {
    const ValueId read = list_.uses(list_.tasks[step]).front();
    if (read == v)
      return v;
    const TaskId copy = writer_in(loop.loop, read);
    if (copy == no_id || !is_copy_of(list_.tasks[copy], v) || !comes_first(copy, loop.branch))
      return no_id;
    return comes_first(copy, step) ? v : comes_first(step, copy) ? read : no_id;
  }

  bool is_copy_of(const Task& task, ValueId v) const {
    return operation_of(task).starts_with("mov.") && !task.predicated &&
           std::ranges::equal(list_.uses(task), std::span(&v, 1));
  }

  // Whenever b executes, a has executed, since the loop around both began its trip.
  bool comes_first(TaskId a, TaskId b) const {
    const BlockId of_a = block_of(a), of_b = block_of(b);
    return of_a == of_b ? a < b : flow_.dominators.dominates(of_a, of_b);
  }

  BlockId block_of(TaskId task) const {
    const auto next = std::ranges::upper_bound(list_.blocks, task, {}, &Block::first_task);
    return static_cast<BlockId>(next - list_.blocks.begin() - 1);
  }

  std::optional<std::int64_t> integer(std::uint32_t constant) const {
    const std::optional<std::int64_t> value = integer_of(list_.constants[constant]);
    return value && *value > INT32_MIN && *value < INT32_MAX ? value : std::nullopt;
  }

  std::optional<std::uint64_t> trips(const CountedLoop& loop, const Condition& condition,
                                     const Step& step) const {
    const Task& comparison = list_.tasks[loop.comparison];
    if (comparison.constants.count != 1)
      return std::nullopt;
    const auto bound = integer(list_.constants_of(comparison)[0]);
    const auto start = start_of(loop.loop, step.counter);
    if (!bound || !start || !comes_first(step.task, loop.comparison) ||
        !comes_first(loop.comparison, loop.branch))
      return std::nullopt;
    const std::uint64_t found = condition.trips(*bound - *start, step.distance);
    const std::int64_t last = *start + static_cast<std::int64_t>(found) * step.distance;
    const bool holds = range_of(operation_of(comparison)).hold({*start, *bound, last});
    return found == 0 || !holds ? std::nullopt : std::optional(found);
  }

  // The constant that the counter enters the loop with, each time that the loop is entered.
  std::optional<std::int64_t> start_of(std::uint32_t loop, ValueId counter) const {
    TaskId start = no_id;
    for (const Writer& w : writers_of(counter))
      if (w.loop != loop) {
        if (start != no_id || w.loop != list_.loops[loop].parent)
          return std::nullopt;
        start = w.task;
      }
    if (start == no_id || !flow_.dominators.dominates(block_of(start), list_.loops[loop].header))
      return std::nullopt;
    const Task& task = list_.tasks[start];
    const bool is_constant = operation_of(task).starts_with("mov.") && task.uses.count == 0 &&
                             task.constants.count == 1 && !task.predicated;
    return is_constant ? integer(list_.constants_of(task)[0]) : std::nullopt;
  }

  const Tasklist& list_;
  const ControlFlow& flow_;
  std::vector<bool> has_inner_;          // by loop
  std::vector<std::uint32_t> innermost_; // by block: loop
  std::vector<std::uint32_t> first_;     // by value, in writers_, one more at the end
  std::vector<Writer> writers_;
};

} // namespace

std::vector<CountedLoop> find_counted_loops(const Tasklist& list, const ControlFlow& flow) {
  return Finder(list, flow).run();
}

} // namespace kerncast::tasklist
