#include "same_values.h"

namespace kerncast::lowering {

ptx::RegisterId SameValues::first_of(ptx::RegisterId r, std::uint32_t depth) {
  if (first_of_[r] == no_id)
    first_of_[r] = find(r, depth);
  return first_of_[r];
}

ptx::RegisterId SameValues::find(ptx::RegisterId r, std::uint32_t depth) {
  const ValueFact& fact = facts_.of(r);
  if (depth == 0 || !fact.is_settled || fact.writer == no_id)
    return r;
  const ptx::Instruction& instruction = program_.instruction(fact.writer);
  if (instruction.guard != ptx::no_id || !program_.shape_of(program_.ops[fact.writer]).is_evaluated)
    return r;
  std::vector<std::uint64_t> key{program_.ops[fact.writer].operation};
  for (const ptx::Operand& operand : program_.function->operands(instruction).subspan(1)) {
    if (operand.kind == ptx::OperandKind::integer)
      key.insert(key.end(), {0, static_cast<std::uint64_t>(operand.value)});
    else if (operand.kind == ptx::OperandKind::reg && operand.name.empty() && !operand.negated &&
             facts_.of(operand.id).is_settled)
      key.insert(key.end(), {1, first_of(operand.id, depth - 1)});
    else
      return r;
  }
  return computed_.try_emplace(std::move(key), r).first->second;
}

} // namespace kerncast::lowering
