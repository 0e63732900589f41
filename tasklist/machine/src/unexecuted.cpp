#include "unexecuted.h"

#include <algorithm>
#include <set>
#include <string>

namespace kerncast::machine {
namespace {

using configs::IsaRow;

// By call: the call whose function makes it, no_id for the kernel. A function's tasks are around those of
// what it calls.
std::vector<std::uint32_t> callers_of(const tasklist::Tasklist& list) {
  std::vector<std::uint32_t> last(list.calls.size(), 0); // task
  for (std::uint32_t i = 0; i < list.tasks.size(); ++i)
    if (list.tasks[i].call != tasklist::no_id)
      last[list.tasks[i].call] = i;
  std::vector<std::uint32_t> callers(list.calls.size(), tasklist::no_id);
  std::vector<std::uint32_t> open; // calls, each made by the one before
  for (std::uint32_t i = 0; i < list.tasks.size(); ++i) {
    while (!open.empty() && last[open.back()] < i)
      open.pop_back();
    const std::uint32_t call = list.tasks[i].call;
    if (call == tasklist::no_id || (!open.empty() && open.back() == call))
      continue;
    callers[call] = open.empty() ? tasklist::no_id : open.back();
    open.push_back(call);
  }
  return callers;
}

class Collector {
public:
  Collector(const configs::IsaTable& isa, bool slow_divisions) : isa_(isa), slow_divisions_(slow_divisions) {}

  void use(const IsaRow& row, std::uint32_t task) {
    if (slow_divisions_ && !row.slow.empty())
      add(row.slow, task, -1); // executed, but there once
    else
      add(row.rare, task, 1);
    add(row.called, task, -1);
    if (row.routine.empty() || !routines_.insert(row.routine).second)
      return;
    if (const IsaRow* routine = isa_.find("routine." + row.routine))
      add(routine->machine, task, 1);
  }

  std::vector<UnexecutedCode> code;

  // What executes of functions whose code is elsewhere. A call is code of its caller; without optimisation,
  // where a kernel's own code is counted too short, it stays in the kernel.
  void functions(const Selection& selection, const Draft& draft, const std::vector<bool>& is_in_kernel) {
    const std::vector<std::uint32_t> callers = callers_of(selection.list);
    for (const DraftOp& op : draft.ops) {
      const std::uint32_t call = selection.list.tasks[op.op.task].call;
      if (call == tasklist::no_id)
        continue;
      if (op.calls && selection.list.is_debug)
        continue;
      const std::uint32_t code_of = op.calls ? callers[call] : call;
      if (code_of != tasklist::no_id && !is_in_kernel[code_of])
        code.push_back({op.op.task, op.op.unit, -1});
    }
  }

  void copies(const Selection& selection, const Draft& draft) {
    if (std::ranges::all_of(selection.code_copies, [](std::uint32_t copies) { return copies == 1; }))
      return;
    const std::vector<std::uint32_t> executed = executed_copies(selection);
    for (const MachineBlock& block :
         std::span(draft.blocks).first(draft.blocks.size() - draft.trip_groups.size()))
      for (const DraftOp& op : draft.ops_of(block)) {
        const auto all = static_cast<std::int32_t>(selection.code_copies[op.op.task]);
        if (const std::int32_t more = all - static_cast<std::int32_t>(executed[op.op.task]); more != 0)
          code.push_back({op.op.task, op.op.unit, more});
      }
    if (selection.unrolled_at_run_time.empty())
      return;
    if (const IsaRow* checks = isa_.find("unroll.checks"))
      for (const tasklist::TaskId loop : selection.unrolled_at_run_time)
        add(checks->machine, loop, 1);
  }

private:
  // By task: those of a single trip and, if trips execute together, of that group.
  static std::vector<std::uint32_t> executed_copies(const Selection& selection) {
    std::vector<std::uint32_t> copies(selection.list.tasks.size(), 1);
    for (const TripsTogether& together : selection.trips_together) {
      const tasklist::Block& block = selection.list.blocks[together.block];
      for (std::uint32_t i = block.first_task; i < block.first_task + block.task_count; ++i)
        copies[i] += together.trips;
      for (const tasklist::TaskId id : together.once)
        copies[id] = 2;
    }
    return copies;
  }

  void add(const std::vector<configs::MachineOpSpec>& ops, std::uint32_t task, std::int32_t sign) {
    for (const configs::MachineOpSpec& op : ops)
      code.push_back({task, static_cast<std::uint16_t>(op.unit), sign * static_cast<std::int32_t>(op.count)});
  }

  const configs::IsaTable& isa_;
  bool slow_divisions_;
  std::set<std::string> routines_; // of the kernel
};

// By call: whether the function's code is there for it. The code has a function once; without optimisation it
// lies outside of the kernel.
std::vector<bool> calls_with_code(const tasklist::Tasklist& list) {
  std::set<std::string_view> functions;
  std::vector<bool> with_code;
  for (const std::string& function : list.calls)
    with_code.push_back(!list.is_debug && functions.insert(function).second);
  return with_code;
}

} // namespace

std::vector<UnexecutedCode> find_unexecuted(const Selection& selection, const configs::Gpu& gpu,
                                            const Draft& draft, bool slow_divisions) {
  const tasklist::Tasklist& list = selection.list;
  if (!gpu.isa || list.target.empty())
    return {};
  const std::vector<bool> is_in_kernel = calls_with_code(list);
  Collector collector(*gpu.isa, slow_divisions);
  for (std::uint32_t i = 0; i < list.tasks.size(); ++i)
    if (const IsaRow* row = selection.rows[list.tasks[i].operation];
        row != nullptr && !selection.absorbed[i]) {
      const std::uint32_t call = list.tasks[i].call;
      if (call == tasklist::no_id || is_in_kernel[call])
        collector.use(*row, i);
    }
  if (!list.calls.empty())
    collector.functions(selection, draft, is_in_kernel);
  collector.copies(selection, draft);
  return std::move(collector.code);
}

} // namespace kerncast::machine
