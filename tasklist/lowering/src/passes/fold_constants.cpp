// ptxas reads kernel parameters from the constant bank as operands of the instructions that need them, and
// immediates from the instruction word. Data that a memory instruction writes must lie in a register, so an
// immediate other than zero that is stored keeps its mov.
#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

bool is_zero(const ptx::Operand& operand) {
  return (operand.kind == OperandKind::integer && operand.value == 0) ||
         (operand.kind == OperandKind::real && operand.real == 0);
}

bool is_kernel_parameter(const Program& program, std::uint32_t op) {
  const auto& traits = program.traits_of(program.ops[op]);
  return traits.kind == tasklist::TaskKind::load && traits.space == tasklist::Space::param &&
         program.uses_of(program.ops[op]).empty();
}

// Call parameters stored from immediates alone.
bool is_immediate_argument(const Program& program, std::uint32_t op) {
  const auto& traits = program.traits_of(program.ops[op]);
  return traits.kind == tasklist::TaskKind::store && traits.space == tasklist::Space::param &&
         program.uses_of(program.ops[op]).empty();
}

const ptx::Operand* moved_immediate(const Program& program, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  if (instruction.opcode != ptx::Opcode::mov && instruction.opcode != ptx::Opcode::cvta) {
    return nullptr;
  }
  const auto operands = program.function->operands(instruction);
  if (operands.size() != 2 || operands[0].kind != OperandKind::reg || !operands[0].name.empty()) {
    return nullptr;
  }
  const OperandKind kind = operands[1].kind;
  const bool immediate =
      kind == OperandKind::integer || kind == OperandKind::real || kind == OperandKind::symbol;
  return immediate ? &operands[1] : nullptr;
}

std::vector<bool> stored_values(const Program& program) {
  std::vector<bool> stored(program.value_classes.size(), false);
  for (const Op& op : program.ops) {
    const auto& traits = program.traits_of(op);
    if (!tasklist::is_memory(traits.kind) || traits.space == tasklist::Space::param) {
      continue;
    }
    for (const Use& use : program.uses_of(op)) {
      if (use.value != no_id && use.role == Role::operand) {
        stored[use.value] = true;
      }
    }
  }
  return stored;
}

} // namespace

void fold_constants(Program& program, const ValueFacts& facts) {
  const std::vector<bool> stored = stored_values(program);
  std::vector<bool> constant(program.value_classes.size(), false);
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (program.instruction(op).guard != ptx::no_id) {
      continue;
    }
    const ptx::Operand* immediate = moved_immediate(program, op);
    const bool always = is_kernel_parameter(program, op) || is_immediate_argument(program, op) ||
                        (immediate != nullptr && is_zero(*immediate));
    for (const ValueId value : program.definitions_of(program.ops[op])) {
      constant[value] = facts.settled[value] && (always || (immediate != nullptr && !stored[value]));
    }
  }
  for (Use& use : program.uses) {
    if (use.value != no_id && constant[use.value]) {
      use.value = no_id;
    }
  }
}

} // namespace kerncast::lowering
