// Unrolling of innermost counted loops, as ptxas 13.0 does it for sm_75 to sm_90. Found by compiling loops of
// growing bodies (one chain of fused multiply-adds, with loads, stores and other operations added one by one)
// with known and unknown numbers of trips, and counting the chain's operations in the code:
// - trips unknown: seven copies of the body (a loop of four, two once, a loop of one), if the body is small:
//   21 operations without loads, 22 and 5 more per load from shared memory, 49 with a load from global or
//   local memory, never more than 100. An access weighs two operations, each element of a vector as one, an
//   asynchronous copy, which raises no limit, three, and eight if a register tells its size; 64-bit
//   arithmetic and fused ones weigh one, what an access's address comes from at last nothing, and loads from
//   the constant bank at an address in a register two (a product that it is the offset of nothing). With a
//   barrier only if the bound is a parameter, and there is no condition; not with a condition under a
//   condition. Where lanes may have different numbers of trips not with a barrier, an atomic operation or
//   operations of the whole warp, and not if what is computed of loads from a memory is stored there at an
//   address that is no register stepped by a constant.
// - trips known: all of them below a limit (tasklist/unrolling.h), else, without conditions, as many copies
//   as fit into 350 operations, the remainder included.
// - never: before sm_90 shuffles, votes and the like (not matrices), fences (waits for copies are none),
//   divisions and roots with a slow path, barriers under a condition, several exits (short of completely),
//   .pragma "nounroll".
// A condition is a branch within the body or a guarded access, not guarded arithmetic.
//
// Trips of a loop of one block execute together, ordered as one piece (trip_groups.h), and test and step its
// counter once. Of other loops one copy of the body executes and the others are code only.
#include <algorithm>

#include "configs/compute_capability.h"
#include "divergence.h"
#include "draft.h"
#include "passes/address_operand.h"
#include "passes/loop_weights.h"
#include "passes/passes.h"
#include "tasklist/control_flow.h"
#include "tasklist/counted_loops.h"
#include "tasklist/integer_text.h"
#include "tasklist/loop_tasks.h"
#include "tasklist/operation.h"
#include "tasklist/unrolling.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::CountedLoop;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::uint32_t copies_of_unknown = 7; // 4 + 2 + 1
constexpr std::uint32_t loops_of_unknown = 3;  // each steps its counter
constexpr std::uint64_t trips_at_once_of_unknown = 4;
constexpr std::uint64_t most_loaded_ahead = 255; // more registers no thread has
constexpr std::uint32_t counting = 3;            // step, comparison, branch
constexpr std::uint32_t partial_limit = 350;     // operations
constexpr std::uint32_t fewest_in_partial_limit = 5;

class Unroller {
public:
  Unroller(Selection& selection, const tasklist::ControlFlow& flow, std::uint32_t target)
      : selection_(selection), list_(selection.list), flow_(flow), target_(target),
        weights_(selection, target) {}

  void run() {
    if (list_.loops.empty())
      return;
    for (const CountedLoop& loop : find_counted_loops(list_, flow_)) {
      if (loop.has_other_exits)
        continue;
      const LoopBody body = weights_.of(list_.loops[loop.loop]);
      if (!body.can_be_copied || body.weight <= counting || has_conditional_barrier(loop))
        continue;
      if (loop.trips)
        unroll_known(loop, body, *loop.trips);
      else if (body.weight_of_unknown <= body.limit() &&
               (!body.has_barrier || may_unroll_barriers(loop, body)) && !has_nested_condition(loop) &&
               !(may_not_diverge(loop, body) && has_divergent_trips(loop)))
        unroll_unknown(loop);
    }
  }

private:
  // Whether some block that not every trip comes to is such a one.
  template <class Test> bool any_conditional(const CountedLoop& loop, const Test& is_such) const {
    return std::ranges::any_of(list_.loops[loop.loop].blocks, [&](BlockId b) {
      return is_such(b) && !flow_.dominators.dominates(b, loop.latch);
    });
  }

  bool has_conditional_barrier(const CountedLoop& loop) const {
    return any_conditional(loop, [&](BlockId b) {
      return std::ranges::any_of(list_.tasks_of(list_.blocks[b]),
                                 [](const Task& task) { return task.kind == TaskKind::barrier; });
    });
  }

  bool has_nested_condition(const CountedLoop& loop) const {
    return any_conditional(loop, [&](BlockId b) { return list_.blocks[b].successors.size() > 1; });
  }

  // What is compared is the register that steps and a parameter, in the constant bank.
  bool may_unroll_barriers(const CountedLoop& loop, const LoopBody& body) const {
    const auto constants = list_.constants_of(list_.tasks[loop.comparison]);
    return !body.has_conditions && std::ranges::any_of(constants, [&](std::uint32_t constant) {
      return list_.constants[constant].starts_with("c[");
    });
  }

  // Whether lanes with different numbers of trips keep the loop as it is.
  bool may_not_diverge(const CountedLoop& loop, const LoopBody& body) const {
    return body.has_barrier || body.needs_whole_warp || body.has_atomics ||
           carries_through_memory(loop, false) || carries_through_memory(loop, true);
  }

  // Whether what is computed of loads from a memory, shared or global, is stored there, at an address that is
  // no stepped register.
  bool carries_through_memory(const CountedLoop& loop, bool shared) const {
    const std::vector<bool> read = read_from(loop, shared);
    bool carries = false;
    for_each_task(list_, list_.loops[loop.loop], [&](const Task& task) {
      const ValueId address = address_register(selection_, task);
      if (is_access(task, shared) && task.kind == TaskKind::store && !steps(loop, address))
        carries |= std::ranges::any_of(list_.uses(task), [&](ValueId v) { return v != address && read[v]; });
    });
    return carries;
  }

  // By value: what the loop computes of loads from that memory.
  std::vector<bool> read_from(const CountedLoop& loop, bool shared) const {
    std::vector<bool> read(list_.value_classes.size(), false);
    for (bool changes = true; changes;) {
      changes = false;
      for_each_task(list_, list_.loops[loop.loop], [&](const Task& task) {
        const bool is_read = (is_access(task, shared) && task.kind == TaskKind::load) ||
                             std::ranges::any_of(list_.uses(task), [&](ValueId v) { return read[v]; });
        for (const ValueId v : list_.definitions(task)) {
          changes |= is_read && !read[v];
          read[v] = read[v] || is_read;
        }
      });
    }
    return read;
  }

  // Of shared memory, or of global and generic.
  static bool is_access(const Task& task, bool shared) {
    return tasklist::is_memory(task.kind) &&
           (shared ? task.space == Space::shared
                   : task.space == Space::global || task.space == Space::generic);
  }

  bool has_divergent_trips(const CountedLoop& loop) {
    if (divergent_.empty())
      divergent_ = find_divergent_values(selection_);
    return std::ranges::any_of(list_.uses(list_.tasks[loop.comparison]),
                               [&](ValueId v) { return divergent_[v]; });
  }

  bool steps(const CountedLoop& loop, ValueId v) const {
    return std::ranges::any_of(list_.loops[loop.loop].blocks, [&](BlockId b) {
      return std::ranges::any_of(list_.tasks_of(list_.blocks[b]), [&](const Task& task) {
        return is_step(task) && list_.definitions(task).front() == v;
      });
    });
  }

  void unroll_unknown(const CountedLoop& loop) {
    copy(loop, copies_of_unknown, loops_of_unknown);
    execute_together(loop, trips_at_once_of_unknown);
    selection_.unrolled_at_run_time.push_back(loop.branch);
  }

  void unroll_known(const CountedLoop& loop, const LoopBody& body, std::uint64_t trips) {
    const std::uint32_t weight = body.weight - counting;
    if (tasklist::is_unrolled_completely(list_.loops[loop.loop], {trips, weight, body.shared_accesses},
                                         target_)) {
      for (const TaskId id : counting_tasks(loop))
        selection_.absorbed[id] = true;
      copy(loop, static_cast<std::uint32_t>(trips), 1);
      return;
    }
    const std::uint64_t most = partial_limit / weight;
    if (most < fewest_in_partial_limit || body.has_conditions)
      return;
    for (std::uint64_t at_once = most; at_once > 1; --at_once)
      if (at_once + trips % at_once <= most) {
        copy(loop, static_cast<std::uint32_t>(at_once + trips % at_once), 1);
        execute_together(loop, at_once);
        return;
      }
  }

  void execute_together(const CountedLoop& loop, std::uint64_t trips) {
    const std::vector<BlockId>& blocks = list_.loops[loop.loop].blocks;
    if (blocks.size() != 1 || blocks.front() == 0) {
      load_ahead(loop, trips);
      return;
    }
    const std::vector<TaskId> once = counting_tasks(loop);
    selection_.trips_together.push_back(
        {blocks.front(), static_cast<std::uint32_t>(trips), once, address_steps(once)});
  }

  // Of those tasks that step by a constant.
  std::vector<AddressStep> address_steps(const std::vector<TaskId>& once) const {
    std::vector<AddressStep> steps;
    for (const TaskId id : once) {
      const Task& task = list_.tasks[id];
      if (!is_step(task))
        continue;
      auto bytes = tasklist::integer_of(list_.constants[list_.constants_of(task).front()]);
      if (!bytes)
        continue;
      if (list_.value_classes[list_.definitions(task).front()] == tasklist::ValueClass::b32)
        bytes = static_cast<std::int32_t>(*bytes); // sums wrap around
      steps.push_back({list_.definitions(task).front(),
                       selection_.operation(task).starts_with("sub.") ? -*bytes : *bytes});
    }
    return steps;
  }

  // Loads of later trips come early, unless what they read may be written in between.
  void load_ahead(const CountedLoop& loop, std::uint64_t trips_side_by_side) {
    std::uint64_t registers = 0;
    for (const BlockId b : list_.loops[loop.loop].blocks)
      for (const Task& task : list_.tasks_of(list_.blocks[b])) {
        if ((tasklist::is_memory(task.kind) && task.kind != TaskKind::load) || task.kind == TaskKind::barrier)
          return;
        if (task.kind == TaskKind::load && task.space != Space::constant)
          registers += (task.access_bytes + bytes_per_register - 1) / bytes_per_register;
      }
    registers *= trips_side_by_side - 1;
    selection_.loaded_ahead[loop.branch] = static_cast<std::uint16_t>(std::min(registers, most_loaded_ahead));
  }

  void copy(const CountedLoop& loop, std::uint32_t copies, std::uint32_t copies_of_counting) {
    for (const BlockId b : list_.loops[loop.loop].blocks)
      for (std::uint32_t i = 0; i < list_.blocks[b].task_count; ++i)
        selection_.code_copies[list_.blocks[b].first_task + i] = copies;
    for (const TaskId id : counting_tasks(loop))
      selection_.code_copies[id] = copies_of_counting;
  }

  // Branch, comparison, and the steps of registers that only they and addresses read: a constant distance is
  // part of the address.
  std::vector<TaskId> counting_tasks(const CountedLoop& loop) const {
    std::vector<TaskId> tasks = {loop.comparison, loop.branch};
    for_each_task(list_, list_.loops[loop.loop], [&](const Task& task) {
      const auto id = static_cast<TaskId>(&task - list_.tasks.data());
      if (is_step(task) && only_addresses_read(list_.definitions(task).front(), id, loop))
        tasks.push_back(id);
    });
    return tasks;
  }

  // v = v + constant
  bool is_step(const Task& task) const {
    const std::string_view operation = selection_.operation(task);
    return (operation.starts_with("add.") || operation.starts_with("sub.")) && !task.predicated &&
           task.definitions.count == 1 && task.uses.count == 1 && task.constants.count == 1 &&
           list_.definitions(task).front() == list_.uses(task).front();
  }

  bool only_addresses_read(ValueId v, TaskId step, const CountedLoop& loop) const {
    for (const BlockId b : list_.loops[loop.loop].blocks)
      for (const Task& task : list_.tasks_of(list_.blocks[b])) {
        const auto id = static_cast<TaskId>(&task - list_.tasks.data());
        const auto uses = list_.uses(task);
        const bool is_address = address_register(selection_, task) == v;
        if (id != step && id != loop.comparison && !is_address && std::ranges::find(uses, v) != uses.end())
          return false;
      }
    return true;
  }

  Selection& selection_;
  const tasklist::Tasklist& list_;
  const tasklist::ControlFlow& flow_;
  std::uint32_t target_; // compute capability: 75
  LoopWeights weights_;
  std::vector<bool> divergent_; // by value, once it is asked for
};

} // namespace

void unroll(Selection& selection, const configs::Gpu& gpu, const tasklist::ControlFlow& flow) {
  if (!selection.list.loops.empty() && gpu.isa->has_row("unroll.checks"))
    Unroller(selection, flow, configs::compute_capability(gpu)).run();
}

} // namespace kerncast::machine
