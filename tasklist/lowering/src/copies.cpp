#include "copies.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

bool is_whole_register(const ptx::Operand& operand) {
  return operand.kind == OperandKind::reg && operand.name.empty() && !operand.negated;
}

// cvt.TO.FROM of two integer types of one width, without rounding or saturation (PTX ISA 9.7.9.21).
bool keeps_bits(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto modifiers = function.modifiers(instruction);
  if (modifiers.size() != 2) {
    return false;
  }
  const ptx::Type to = ptx::type_of(modifiers[0]), from = ptx::type_of(modifiers[1]);
  const auto is_integer = [](ptx::Type type) { return ptx::size_bytes(type) != 0 && !ptx::is_float(type); };
  return is_integer(to) && is_integer(from) && ptx::size_bytes(to) == ptx::size_bytes(from);
}

bool is_register_copy(const Program& program, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  const bool conversion = instruction.opcode == ptx::Opcode::cvt;
  if (instruction.opcode != ptx::Opcode::mov && instruction.opcode != ptx::Opcode::cvta && !conversion) {
    return false;
  }
  const auto operands = program.function->operands(instruction);
  if (operands.size() != 2 || !is_whole_register(operands[0]) || !is_whole_register(operands[1])) {
    return false;
  }
  const bool same_class = program.value_classes[operands[0].id] == program.value_classes[operands[1].id];
  return same_class && (!conversion || keeps_bits(*program.function, instruction));
}

// A call parameter's store or load whose elements and pieces correspond one to one.
bool is_parameter_copy(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  const ValueId first_cell = static_cast<ValueId>(program.function->registers.size()) + 1;
  if (first_cell == program.value_classes.size()) {
    return false; // no call has parameters
  }
  const auto definitions = program.definitions_of(o);
  const auto uses = program.uses_of(o);
  if (program.traits_of(o).space != tasklist::Space::param || definitions.size() != uses.size()) {
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
  return program.instruction(op).guard == ptx::no_id &&
         (is_register_copy(program, op) || is_parameter_copy(program, op));
}

ValueId copy_source(const Program& program, std::uint32_t op, std::uint32_t index) {
  const auto uses = program.uses_of(program.ops[op]);
  return index < uses.size() ? uses[index].value : no_id;
}

} // namespace kerncast::lowering
