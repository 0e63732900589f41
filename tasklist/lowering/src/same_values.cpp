#include "same_values.h"

#include "support/mix_bits.h"

namespace kerncast::lowering {

ptx::RegisterId SameValues::first_of(ptx::RegisterId r, std::uint32_t depth) {
  if (first_of_[r] != no_id)
    return first_of_[r];
  const std::optional<Computation> computation = computation_of(r, depth);
  if (!computation)
    return first_of_[r] = r;
  std::uint64_t hash = std::uint64_t{computation->operation} << 32 | computation->registers;
  for (const std::uint64_t operand : computation->operands)
    hash = mix_bits(hash ^ operand);
  const auto fresh = static_cast<std::uint32_t>(computed_.size());
  const std::uint32_t number =
      numbers_.find_or_add(hash, fresh, [&](std::uint32_t n) { return computed_[n] == *computation; });
  if (number == fresh) {
    computed_.push_back(*computation);
    results_.push_back(r);
  }
  return first_of_[r] = results_[number];
}

// Of what is not followed: none.
std::optional<SameValues::Computation> SameValues::computation_of(ptx::RegisterId r, std::uint32_t depth) {
  const ValueFact& fact = facts_.of(r);
  if (depth == 0 || !fact.is_settled || fact.writer == no_id)
    return std::nullopt;
  const Op& op = program_.ops[fact.writer];
  const ptx::Instruction& instruction = program_.instruction(fact.writer);
  const auto operands = program_.function->operands(instruction);
  Computation made{.operation = op.operation};
  if (instruction.guard != ptx::no_id || !program_.shape_of(op).is_evaluated ||
      operands.size() > made.operands.size() + 1)
    return std::nullopt;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const ptx::Operand& operand = operands[i];
    const bool is_register = operand.kind == ptx::OperandKind::reg && operand.name.empty() &&
                             !operand.negated && facts_.of(operand.id).is_settled;
    if (!is_register && operand.kind != ptx::OperandKind::integer)
      return std::nullopt;
    made.registers |= is_register ? 1U << i : 0U;
    made.operands[i - 1] =
        is_register ? first_of(operand.id, depth - 1) : static_cast<std::uint64_t>(operand.value);
  }
  return made;
}

} // namespace kerncast::lowering
