#include <algorithm>
#include <array>

#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

bool is_call_parameter(const Program& program, ValueId value) {
  return value != no_id && value >= first_call_parameter(program);
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

std::uint32_t operation_named(std::string_view text, Program& program) {
  const auto found = std::ranges::find(program.operations, text);
  const auto operation = static_cast<std::uint32_t>(found - program.operations.begin());
  if (found == program.operations.end()) {
    program.operations.emplace_back(text);
    program.traits.push_back(tasklist::traits_of(text));
    program.shapes.emplace_back();
  }
  return operation;
}

} // namespace

void move_call_parameters(Program& program) {
  if (!has_call_parameters(program)) {
    return;
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
      operations[width] = operation_named(moves[width], program);
    }
    op.operation = operations[width];
    op.access_bytes = 0;
  }
}

} // namespace kerncast::lowering
