#include <algorithm>
#include <array>

#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

// A value behind the registers and the carry flag is a piece of a call parameter.
bool is_call_parameter(const Program& program, ValueId value) {
  return value != no_id && value > program.function->registers.size();
}

bool accesses_call_parameter(const Program& program, const Op& op) {
  if (program.traits_of(op).space != tasklist::Space::param) {
    return false;
  }
  for (const ValueId value : program.definitions_of(op)) {
    if (is_call_parameter(program, value)) {
      return true;
    }
  }
  // A load reads pieces as operands (or by now what was stored there); kernel parameters have none.
  const auto uses = program.uses_of(op);
  return std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.role == Role::operand; });
}

} // namespace

void move_call_parameters(Program& program) {
  if (program.value_classes.size() == program.function->registers.size() + 1) {
    return; // the carry flag is the last value: no call has parameters
  }
  static constexpr std::array moves = {"mov.pred", "mov.b16", "mov.b32", "mov.b64", "mov.b128"};
  std::array<std::uint32_t, moves.size()> operations;
  operations.fill(no_id);
  for (Op& op : program.ops) {
    // A store through a register defines no piece of a parameter; it stays a store.
    if (op.dead || program.definitions_of(op).empty() || !accesses_call_parameter(program, op)) {
      continue;
    }
    const auto width = static_cast<std::size_t>(program.value_classes[program.definitions_of(op)[0]]);
    if (operations[width] == no_id) {
      operations[width] = static_cast<std::uint32_t>(program.operations.size());
      program.operations.emplace_back(moves[width]);
      program.traits.push_back(tasklist::traits_of(moves[width]));
    }
    op.operation = operations[width];
    op.access_bytes = 0;
  }
}

} // namespace kerncast::lowering
