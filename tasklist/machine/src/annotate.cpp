// The passes from a tasklist to one GPU's machine program, in order.
#include "machine/annotate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "coalesce.h"
#include "control_latencies.h"
#include "divergence.h"
#include "emit.h"
#include "live_ranges.h"
#include "passes/passes.h"
#include "recipes.h"
#include "register_reads.h"
#include "registers.h"
#include "schedule.h"
#include "slots.h"
#include "spills.h"
#include "unexecuted.h"
#include "value_widths.h"

namespace kerncast::machine {
namespace {

constexpr std::uint32_t max_slots = UINT16_MAX - 4; // and those for branches and loops, and the engine's two

struct Pass {
  std::string_view name;
  bool AnnotateOptions::*option;
};
constexpr Pass passes[] = {{"unrolling", &AnnotateOptions::unroll},
                           {"reductions", &AnnotateOptions::reduce_atomics},
                           {"aggregation", &AnnotateOptions::aggregate_atomics},
                           {"masks", &AnnotateOptions::variable_masks},
                           {"packing", &AnnotateOptions::pack_elements},
                           {"narrowing", &AnnotateOptions::narrow_addresses},
                           {"halves", &AnnotateOptions::split_pairs},
                           {"products", &AnnotateOptions::join_products},
                           {"scaling", &AnnotateOptions::scale_addresses},
                           {"fusion", &AnnotateOptions::fuse},
                           {"pairing", &AnnotateOptions::pack_halves},
                           {"bases", &AnnotateOptions::uniform_bases},
                           {"if-conversion", &AnnotateOptions::if_convert},
                           {"joining", &AnnotateOptions::join_blocks},
                           {"spacing", &AnnotateOptions::space_copies},
                           {"coalescing", &AnnotateOptions::coalesce},
                           {"extras", &AnnotateOptions::extras},
                           {"scheduling", &AnnotateOptions::schedule},
                           {"spills", &AnnotateOptions::spill}};

// Slots of the registers, each once, in the order of the registers; `slots` has room for them from `end` on.
tasklist::Range write_slots(std::span<const VirtualRegister> registers, const SlotAssignment& assignment,
                            std::span<std::uint16_t> slots, std::uint32_t& end) {
  const std::uint32_t begin = end;
  for (const VirtualRegister r : registers) {
    const auto slot = static_cast<std::uint16_t>(assignment.slots[r]);
    bool is_new = true;
    for (std::uint32_t i = begin; i < end; ++i) // few
      is_new &= slots[i] != slot;
    slots[end] = slot;
    end += is_new ? 1 : 0;
  }
  return {begin, end - begin};
}

// Operations may share parts of the pool.
std::size_t operands_of(const Draft& draft) {
  std::size_t operands = 0;
  for (const DraftOp& op : draft.ops)
    operands += op.reads.count + op.writes.count;
  return operands;
}

MachineProgram assemble(Draft&& draft, const SlotAssignment& assignment) {
  MachineProgram program;
  program.slot_count = assignment.slot_count;
  program.ops.reserve(draft.ops.size());
  program.slots.resize(operands_of(draft) + 1); // and one more, for what is not new
  std::uint32_t end = 0;
  for (const DraftOp& op : draft.ops) {
    MachineOp& placed = program.ops.emplace_back(op.op);
    placed.sources = write_slots(draft.reads(op), assignment, program.slots, end);
    placed.destinations = write_slots(draft.writes(op), assignment, program.slots, end);
  }
  program.slots.resize(end);
  program.blocks = std::move(draft.blocks);
  program.trip_groups = std::move(draft.trip_groups);
  program.joined_blocks = std::move(draft.joined_blocks);
  return program;
}

struct Arranging {
  bool coalesce = true;
  bool reorder = true;
  bool spill = true;
  std::uint32_t stated_registers = 0;
  std::optional<std::uint32_t> stated_spill_bytes = {};
};

// A draft in its final order with what follows from it.
struct Arrangement {
  Draft draft;
  LiveRanges ranges;
  RegisterEstimate registers;
  std::uint32_t spill_bytes = 0; // of local memory per thread
  ValueWidths widths;            // value_widths(): the same in any order within blocks
  TextPressure text;
};

// The operations as they stood before they were put in order.
std::vector<DraftOp> in_old_order(const std::vector<DraftOp>& ops, std::span<const std::uint32_t> before) {
  std::vector<DraftOp> old(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i)
    old[before[i]] = ops[i];
  return old;
}

// Loads that come early need registers; where there are too few, the text's order may need fewer.
void reorder(Arrangement& a, const Selection& selection, const tasklist::ControlFlow& flow,
             const configs::Gpu& gpu, const LiveBlocks& live, std::uint32_t stated_registers) {
  const std::vector<std::uint32_t> before = schedule(a.draft, selection, gpu, a.ranges);
  OccurrenceTable in_new_order(a.draft);
  LiveRanges as_written = std::exchange(a.ranges, find_live_ranges(a.draft, flow, live, in_new_order));
  a.registers =
      estimate_registers(selection.list, gpu, a.draft, a.ranges, a.widths, a.text, stated_registers);
  if (a.registers.spilling.empty())
    return;
  std::vector<DraftOp> scheduled = std::exchange(a.draft.ops, in_old_order(a.draft.ops, before));
  RegisterEstimate registers =
      estimate_registers(selection.list, gpu, a.draft, as_written, a.widths, a.text, stated_registers);
  if (registers.needed < a.registers.needed) {
    a.ranges = std::move(as_written);
    a.registers = std::move(registers);
  } else {
    a.draft.ops = std::move(scheduled);
  }
}

// What the registers that are granted cannot hold goes to local memory. `live` is of the draft before that:
// registers that are spilled everywhere are gone, and those that take their place never leave a block; the
// others live in the same blocks as before.
void spill_excess(Arrangement& a, const Selection& selection, const tasklist::ControlFlow& flow,
                  const configs::Gpu& gpu, LiveBlocks&& live, std::optional<std::uint32_t> stated) {
  const std::uint32_t excess =
      a.registers.needed > a.registers.granted ? a.registers.needed - a.registers.granted : 0;
  const Spills spills = spill(a.draft, a.ranges, selection.list, gpu, {excess, stated});
  if (spills.bytes == 0)
    return;
  a.spill_bytes = spills.bytes;
  OccurrenceTable table(a.draft);
  live.runs_of.resize(a.draft.register_count());
  for (VirtualRegister r = 0; r < a.draft.register_count(); ++r)
    if (table.of(r).empty())
      live.runs_of[r] = {};
  a.ranges = find_live_ranges(a.draft, flow, live, table);
  if (stated)
    a.registers.spilling = fmt::format(
        "{} bytes of spill stores per thread are given, {} are predicted; which values, in {} stores "
        "and {} loads of the code, is estimated",
        *stated, spills.stored_bytes, spills.stores, spills.loads);
  else
    a.registers.spilling = fmt::format(
        "about {} registers are needed and {} allows {}: {} bytes of spill stores per thread ({} stores "
        "and {} loads of local memory in the code){}",
        a.registers.needed, a.registers.limit, a.registers.granted, spills.stored_bytes, spills.stores,
        spills.loads,
        spills.excess_left > 0 ? fmt::format(", which leave {} registers too many", spills.excess_left) : "");
}

Arrangement arrange(Selection& selection, tasklist::ControlFlow flow, const configs::Gpu& gpu,
                    const RecipeBook& book, Arranging how) {
  Arrangement a;
  const bool has_uniform_values = !book.uniform_value.steps.empty();
  const std::vector<bool> divergent = has_uniform_values || !book.converge_begin.steps.empty()
                                          ? find_divergent_values(selection)
                                          : std::vector<bool>{};
  const Extras extras = plan_extras(selection, book, flow, divergent);
  if (!selection.trips_together.empty()) {
    selection.add_group_blocks();
    flow = tasklist::ControlFlow(selection.list.blocks);
  }
  a.draft = emit(selection, extras, gpu, book);
  delay_guards(a.draft, selection.list, gpu);
  if (how.coalesce)
    coalesce_copies(a.draft, flow);
  a.widths = value_widths(a.draft, selection, has_uniform_values ? divergent : std::vector<bool>{});
  OccurrenceTable table(a.draft);
  LiveBlocks live = find_live_blocks(a.draft, flow, table);
  a.ranges = find_live_ranges(a.draft, flow, live, table);
  a.text = text_pressure(selection.list, gpu, a.draft, a.ranges, a.widths.least);
  if (how.reorder)
    reorder(a, selection, flow, gpu, live, how.stated_registers);
  else
    a.registers =
        estimate_registers(selection.list, gpu, a.draft, a.ranges, a.widths, a.text, how.stated_registers);
  if (how.stated_spill_bytes)
    a.registers.spilling.clear();
  if (how.spill && (how.stated_spill_bytes || a.registers.granted < a.registers.needed))
    spill_excess(a, selection, flow, gpu, std::move(live), how.stated_spill_bytes);
  return a;
}

// No pass changes what follows what.
void run_passes(Selection& selection, const configs::Gpu& gpu, const AnnotateOptions& options,
                const tasklist::ControlFlow& flow) {
  const configs::IsaTable& isa = *gpu.isa;
  if (options.unroll)
    unroll(selection, gpu, flow);
  if (options.reduce_atomics)
    reduce_atomics(selection);
  if (options.aggregate_atomics)
    aggregate_atomics(selection, isa);
  if (options.variable_masks)
    name_variable_masks(selection, isa);
  if (options.pack_elements)
    pack_elements(selection, isa);
  if (options.narrow_addresses)
    narrow_addresses(selection);
  if (options.split_pairs)
    split_pairs(selection);
  if (options.join_products)
    join_products(selection, isa);
  if (options.scale_addresses)
    scale_addresses(selection, gpu);
  if (options.fuse)
    fuse_operations(selection, isa);
  if (options.pack_halves)
    pack_halves(selection, isa);
  if (options.uniform_bases)
    take_uniform_bases(selection, isa);
  if (options.if_convert)
    if_convert(selection);
  if (options.join_blocks)
    join_blocks(selection);
  if (options.space_copies)
    space_copies(selection, isa);
}

} // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes)
    names.push_back(pass.name);
  return names;
}

bool leave_out(AnnotateOptions& options, std::string_view name) {
  const auto* pass = std::ranges::find(passes, name, &Pass::name);
  if (pass == std::end(passes))
    return false;
  options.*pass->option = false;
  return true;
}

Expected<MachineProgram> annotate(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                  const AnnotateOptions& options) {
  Selection selection = start_selection(list, gpu.isa);
  tasklist::ControlFlow flow(list.blocks);
  // Lists without a PTX target are written in machine operations already.
  const bool is_compiled = !list.target.empty() && !list.is_debug;
  if (is_compiled && gpu.isa)
    run_passes(selection, gpu, options, flow);
  auto book = look_up(selection, gpu, options);
  if (!book)
    return tl::make_unexpected(std::move(book.error()));
  Arrangement arranged = arrange(selection, std::move(flow), gpu, *book,
                                 {options.coalesce, options.schedule && is_compiled, options.spill,
                                  options.stated_registers, options.stated_spill_bytes});
  time_register_reads(arranged.draft, arranged.widths.least, gpu);
  const SlotAssignment assignment = assign_slots(arranged.ranges);
  if (assignment.slot_count > max_slots)
    return fail(fmt::format("kernel '{}' needs {} values at the same time; at most {} can be followed",
                            list.kernel, assignment.slot_count, max_slots),
                "split the kernel");
  std::vector<UnexecutedCode> unexecuted =
      find_unexecuted(selection, gpu, arranged.draft, options.slow_divisions);
  MachineProgram program = assemble(std::move(arranged.draft), assignment);
  wait_for_branches(program, selection.list, gpu);
  wait_for_loops(program);
  program.spill_bytes = arranged.spill_bytes;
  program.registers_estimated = arranged.registers.granted;
  program.unexecuted = std::move(unexecuted);
  program.assumptions = std::move(book->assumptions);
  if (!arranged.registers.spilling.empty())
    program.assumptions.push_back(arranged.registers.spilling);
  return program;
}

bool has_slow_paths(const tasklist::Tasklist& list, const configs::Gpu& gpu) {
  return gpu.isa && std::ranges::any_of(list.operations, [&](const std::string& operation) {
           const configs::IsaRow* row = gpu.isa->find(operation);
           return row != nullptr && !row->slow.empty();
         });
}

std::optional<double> summed_latency(const tasklist::Tasklist& list, const tasklist::Task& task,
                                     const configs::Gpu& gpu) {
  using enum tasklist::TaskKind;
  if (task.kind == load || task.kind == store || task.kind == atomic || task.kind == reduction)
    return std::nullopt;
  const auto index = static_cast<std::size_t>(&task - list.tasks.data());
  if (index < list.stated_latency.size() && list.stated_latency[index] > 0)
    return list.stated_latency[index];
  const configs::IsaRow* row = gpu.isa ? gpu.isa->find(list.operations[task.operation]) : nullptr;
  if (row == nullptr)
    return std::nullopt;
  return total_latency(make_recipe(row->machine));
}

} // namespace kerncast::machine
