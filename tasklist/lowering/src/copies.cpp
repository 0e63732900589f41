#include "copies.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

bool is_whole_register(const ptx::Operand& operand) {
  return operand.kind == OperandKind::reg && operand.name.empty() && !operand.negated;
}

} // namespace

bool is_register_copy(const Program& program, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  const auto operands = program.function->operands(instruction);
  return instruction.guard == ptx::no_id && operands.size() == 2 && is_whole_register(operands[0]) &&
         is_whole_register(operands[1]) &&
         program.value_classes[operands[0].id] == program.value_classes[operands[1].id];
}

bool is_parameter_copy(const Program& program, std::uint32_t op) {
  const ValueId first_cell = first_call_parameter(program);
  const auto definitions = program.definitions_of(program.ops[op]);
  const auto uses = program.uses_of(program.ops[op]);
  if (program.instruction(op).guard != ptx::no_id || definitions.size() != uses.size()) {
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

ValueId copy_source(const Program& program, std::uint32_t op, std::uint32_t index) {
  const auto uses = program.uses_of(program.ops[op]);
  return index < uses.size() ? uses[index].value : no_id;
}

} // namespace kerncast::lowering
