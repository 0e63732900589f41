#include "copies.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

bool is_whole_register(const ptx::Operand& operand) {
  return operand.kind == OperandKind::reg && operand.name.empty() && !operand.negated;
}

bool is_register_copy(const Program& program, std::uint32_t op) {
  const auto operands = program.function->operands(program.instruction(op));
  return operands.size() == 2 && is_whole_register(operands[0]) && is_whole_register(operands[1]) &&
         program.value_classes[operands[0].id] == program.value_classes[operands[1].id];
}

// A call parameter's store or load whose elements and pieces correspond one to one.
bool is_parameter_copy(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  const ValueId first_cell = first_call_parameter(program);
  const auto definitions = program.definitions_of(o);
  const auto uses = program.uses_of(o);
  if (definitions.size() != uses.size()) {
    return false;
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool passes_on = uses[i].value != no_id && uses[i].role == Role::operand &&
                           (definitions[i] >= first_cell) != (uses[i].value >= first_cell) &&
                           program.value_classes[definitions[i]] == program.value_classes[uses[i].value];
    if (!passes_on) {
      return false;
    }
  }
  return !uses.empty();
}

} // namespace

bool is_copy(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  const bool is_candidate = program.shape_of(o).is_copy
                                ? is_register_copy(program, op)
                                : program.traits_of(o).space == tasklist::Space::param &&
                                      has_call_parameters(program) && is_parameter_copy(program, op);
  return is_candidate && program.instruction(op).guard == ptx::no_id;
}

ValueId copy_source(const Program& program, std::uint32_t op, std::uint32_t index) {
  const auto uses = program.uses_of(program.ops[op]);
  return index < uses.size() ? uses[index].value : no_id;
}

} // namespace kerncast::lowering
