// The class is the unit's, but an integer operation on the pipe of f32 (IMAD) is an integer operation, and a
// conversion to half precision (F2FP, beside the integer operations on sm_80 and later) one of f16.
#include "machine/instruction_class.h"

#include <algorithm>

#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

struct UnitClass {
  std::string_view unit;
  InstructionClass instruction_class;
};
constexpr UnitClass unit_classes[] = {
    {"fp64", InstructionClass::f64},       {"fp16", InstructionClass::f16},
    {"sfu", InstructionClass::special},    {"lsu", InstructionClass::memory},
    {"tex", InstructionClass::texture},    {"tensor", InstructionClass::tensor},
    {"branch", InstructionClass::control}, {"fp32", InstructionClass::f32}};

bool is_float(std::string_view operation) {
  bool found = false;
  tasklist::for_each_part(operation, [&](std::string_view part) {
    found |= part == "f32" || part == "f32x2" || part == "f16" || part == "f64" || part == "f16x2";
  });
  return found;
}

bool rounds_to_half(std::string_view operation) {
  return operation.starts_with("fused.f2fp.") ||
         (operation.starts_with("cvt.") && operation.ends_with(".f32") &&
          operation.find("f16") != operation.npos);
}

} // namespace

std::array<std::int64_t, instruction_class_names.size()>
count_classes(const MachineProgram& program, const tasklist::Tasklist& list, const configs::Gpu& gpu) {
  std::array<std::int64_t, instruction_class_names.size()> counts{};
  const auto add = [&](std::uint16_t unit, std::uint32_t task, std::int64_t count) {
    const auto* found = std::ranges::find(unit_classes, gpu.units[unit].name, &UnitClass::unit);
    InstructionClass c =
        found == std::end(unit_classes) ? InstructionClass::integer : found->instruction_class;
    if (c == InstructionClass::texture && list.operations[list.tasks[task].operation].starts_with("su"))
      c = InstructionClass::memory; // surfaces
    if (c == InstructionClass::f32 && !is_float(list.operations[list.tasks[task].operation]))
      c = InstructionClass::integer;
    if (c == InstructionClass::integer && rounds_to_half(list.operations[list.tasks[task].operation]))
      c = InstructionClass::f16;
    counts[static_cast<std::size_t>(c)] += count;
  };
  for (const MachineOp& op : program.ops)
    add(op.unit, op.task, 1);
  for (const UnexecutedCode& code : program.unexecuted)
    add(code.unit, code.task, code.count);
  return counts;
}

} // namespace kerncast::machine
