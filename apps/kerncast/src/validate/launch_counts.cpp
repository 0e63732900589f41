#include "launch_counts.h"

#include <bit>
#include <optional>
#include <vector>

#include "engine/request_of.h"
#include "machine/executed_behaviour.h"
#include "visit_counts.h"

namespace kerncast::app {
namespace {

using tasklist::Space;
using tasklist::TaskKind;

constexpr double sector_bytes = 32;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Of what runs on the fp32 and alu units, where integers and floats share pipes.
InstructionClass class_of_operation(std::string_view operation) {
  if (operation.starts_with("cvt"))
    return InstructionClass::conversion;
  if (operation.starts_with("mov") || operation.starts_with("selp") || operation.starts_with("vote"))
    return InstructionClass::misc;
  return contains(operation, ".f32") ? InstructionClass::fp32 : InstructionClass::integer;
}

struct UnitRow {
  std::string_view unit;
  InstructionClass of;
};
constexpr UnitRow units[] = {{"fp16", InstructionClass::fp16},      {"fp64", InstructionClass::fp64},
                             {"branch", InstructionClass::control}, {"lsu", InstructionClass::memory},
                             {"tex", InstructionClass::memory},     {"tensor", InstructionClass::misc}};

// None: of another class, of which the counters here say nothing.
std::optional<InstructionClass> class_of(const engine::KernelInput& input, const machine::MachineOp& op) {
  if (op.counted_as == configs::CountedAs::communication)
    return std::nullopt;
  if (op.counted_as == configs::CountedAs::misc || op.kind == machine::OpKind::barrier)
    return InstructionClass::misc;
  if (op.kind == machine::OpKind::memory || op.kind == machine::OpKind::fence)
    return InstructionClass::memory;
  if (op.kind == machine::OpKind::exit)
    return InstructionClass::control;
  const std::string& unit = input.gpu.units[op.unit].name;
  for (const UnitRow& row : units)
    if (row.unit == unit)
      return row.of;
  return class_of_operation(input.list.operations[input.list.tasks[op.task].operation]);
}

void add_access(const engine::KernelInput& input, const machine::MachineOp& op,
                const tasklist::AddressShape& shape, double times, LaunchCounts& counts) {
  if (shape.mask == 0) // counters know no request of what all lanes are predicated off
    return;
  const bool is_load = op.task_kind == TaskKind::load;
  if (op.space == Space::shared) {
    (is_load ? counts.shared_load_wavefronts : counts.shared_store_wavefronts) +=
        times * engine::shared_wavefronts_of(op, shape, input.gpu);
    return;
  }
  const memory_model::Request request = engine::request_of(op, shape, engine::hits_of(input, op), input.gpu);
  if (is_load && (op.space == Space::global || op.space == Space::generic))
    counts.global_load_requests += times;
  (is_load ? counts.l2_read_sectors : counts.l2_write_sectors) += times * request.l2_bytes / sector_bytes;
  if (is_load)
    counts.dram_read_sectors += times * request.dram_bytes * (1 - request.dram_written) / sector_bytes;
}

// That execute the operation, all visits together, of those that are active in each.
double lanes_of(const machine::MachineOp& op, std::uint32_t active, const VisitCounts& visits) {
  if (is_branch(op))
    return visits.taken;
  if (op.kind == machine::OpKind::exit)
    return visits.ended;
  return visits.times * std::popcount(active);
}

} // namespace

std::string_view name(InstructionClass one) {
  constexpr std::string_view names[] = {"fp16",       "fp32",    "fp64",   "integer",
                                        "conversion", "control", "memory", "misc"};
  return names[static_cast<std::size_t>(one)];
}

LaunchCounts count_launch(const engine::KernelInput& input, const engine::KernelPrediction& prediction) {
  LaunchCounts counts;
  counts.l2_read_sectors = prediction.l2_fetched_bytes / sector_bytes;
  const machine::ExecutedBehaviour executed(input.behaviour, input.program);
  const tasklist::LaunchBehaviour& behaviour = executed.get();
  const std::vector<VisitCounts> visits = count_visits(behaviour, input.list, input.program);
  for (std::size_t v = 0; v < visits.size(); ++v) {
    const tasklist::BlockVisit& visit = behaviour.visits[v];
    const machine::MachineBlock& block = input.program.blocks[visit.block];
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
      const machine::MachineOp& op = input.program.ops[i];
      std::uint32_t active = visit.active_mask;
      if (op.kind == machine::OpKind::memory) {
        const tasklist::AddressShape shape = engine::shape_of(op, visit, behaviour);
        active = shape.mask;
        add_access(input, op, shape, visits[v].times, counts);
      }
      if (const auto of = class_of(input, op))
        counts.thread_instructions[static_cast<std::size_t>(*of)] += lanes_of(op, active, visits[v]);
    }
  }
  return counts;
}

} // namespace kerncast::app
