#include "control_latencies.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kerncast::machine {
namespace {

using tasklist::Task;
using tasklist::TaskKind;
using tasklist::Tasklist;
using tasklist::ValueId;

// Which of its uses decides whether the task executes: the last predicate. Operands come before it, and
// behind it what a guarded comparison leaves as it was, unless that is the guard itself.
std::optional<std::size_t> guard_of(const Tasklist& list, const Task& task) {
  if (!task.predicated)
    return std::nullopt;
  const auto uses = list.uses(task);
  const auto written = list.definitions(task);
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (list.value_classes[uses[i]] == tasklist::ValueClass::predicate &&
        (!last || std::ranges::find(written, uses[i]) == written.end()))
      last = i;
  return last;
}

bool is_stated(const Tasklist& list, const MachineOp& op) {
  return !list.stated_latency.empty() && list.stated_latency[op.task] > 0;
}

// The operations in front of it are another task's, or of none.
bool begins_task(const Draft& draft, std::size_t op) {
  const DraftOp& own = draft.ops[op];
  if (own.extra || op == 0)
    return !own.extra;
  const DraftOp& before = draft.ops[op - 1];
  return before.extra || before.op.task != own.op.task || before.trip != own.trip;
}

bool writes_any(const Draft& draft, const DraftOp& op, const std::vector<bool>& registers) {
  return std::ranges::any_of(draft.writes(op), [&](VirtualRegister r) { return registers[r]; });
}

// By register. What is copied into a guard is one.
std::vector<bool> find_guards(const Draft& draft, const Tasklist& list) {
  std::vector<bool> guards(draft.register_count(), false);
  for (std::size_t i = 0; i < draft.ops.size(); ++i) {
    const DraftOp& op = draft.ops[i];
    const std::optional<std::size_t> guard =
        begins_task(draft, i) ? guard_of(list, list.tasks[op.op.task]) : std::nullopt;
    if (guard && *guard < op.reads.count)
      guards[draft.reads(op)[*guard]] = true;
  }
  for (std::size_t i = draft.ops.size(); i-- > 0;)
    if (draft.ops[i].free_copy && writes_any(draft, draft.ops[i], guards))
      for (const VirtualRegister r : draft.reads(draft.ops[i]))
        guards[r] = true;
  return guards;
}

void append(tasklist::Range& range, std::uint16_t slot, std::vector<std::uint16_t>& slots) {
  const tasklist::Range old = range;
  range.begin = static_cast<std::uint32_t>(slots.size());
  for (std::uint32_t i = 0; i < old.count; ++i)
    slots.push_back(slots[old.begin + i]);
  slots.push_back(slot);
  ++range.count;
}

} // namespace

void delay_guards(Draft& draft, const Tasklist& list, const configs::Gpu& gpu) {
  if (gpu.guard_latency == 0)
    return;
  const std::vector<bool> guards = find_guards(draft, list);
  for (DraftOp& op : draft.ops)
    if (op.op.kind == OpKind::compute && op.op.latency < gpu.guard_latency && !op.free_copy &&
        writes_any(draft, op, guards) && !is_stated(list, op.op)) {
      op.op.latency = gpu.guard_latency;
      op.op.guards = true;
    }
}

void wait_for_branches(MachineProgram& program, const Tasklist& list, const configs::Gpu& gpu) {
  if (gpu.branch_latency == 0 || std::ranges::none_of(program.ops, is_branch))
    return;
  const auto slot = static_cast<std::uint16_t>(program.slot_count++);
  for (const MachineBlock& block : program.blocks)
    if (block.op_count > 0)
      append(program.ops[block.first_op].sources, slot, program.slots);
  for (MachineOp& op : program.ops)
    if (is_branch(op)) {
      if (!is_stated(list, op))
        op.latency = gpu.branch_latency;
      append(op.destinations, slot, program.slots);
    }
}

void wait_for_loops(MachineProgram& program) {
  const auto is_loop = [](const MachineOp& op) { return op.trip_cycles > 0; };
  if (std::ranges::none_of(program.ops, is_loop))
    return;
  const auto slot = static_cast<std::uint16_t>(program.slot_count++);
  for (const MachineBlock& block : program.blocks)
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
      if (i == block.first_op || is_loop(program.ops[i - 1])) // what comes before a block may end with one
        append(program.ops[i].sources, slot, program.slots);
      if (is_loop(program.ops[i]))
        append(program.ops[i].destinations, slot, program.slots);
    }
}

} // namespace kerncast::machine
