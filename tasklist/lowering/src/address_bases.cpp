#include "address_bases.h"

#include <optional>

namespace kerncast::lowering {
namespace {

// r = other + constant
std::optional<std::pair<ptx::RegisterId, std::int64_t>> step_of(const Program& program,
                                                                const KnownValues& known, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  const auto operands = program.function->operands(instruction);
  if (instruction.opcode != ptx::Opcode::add || instruction.guard != ptx::no_id || operands.size() != 3 ||
      operands[1].kind != ptx::OperandKind::reg || !operands[1].name.empty())
    return std::nullopt;
  const KnownValue by = known.of_operand(operands[2]);
  if (by.kind != KnownValue::Kind::number)
    return std::nullopt;
  const bool is_narrow = program.value_classes[operands[1].id] == tasklist::ValueClass::b32;
  return std::pair(operands[1].id, is_narrow ? static_cast<std::int32_t>(by.bits)
                                             : static_cast<std::int64_t>(by.bits)); // sums wrap around
}

} // namespace

std::pair<AddressBase, std::int64_t> AddressBases::of(const ptx::Operand& address) const {
  AddressBase base{.variable = address.name};
  std::int64_t place = address.offset();
  if (!address.name.empty() || address.id == ptx::no_id)
    return {base, place};
  base.r = address.id;
  while (facts_.of(base.r).is_settled) {
    const auto step = step_of(program_, known_, facts_.of(base.r).writer);
    if (!step || !facts_.of(step->first).is_settled)
      break;
    base.r = step->first;
    place += step->second;
  }
  if (const KnownValue& value = known_.of(base.r); value.kind == KnownValue::Kind::place) {
    base.variable = value.base;
    base.r = ptx::no_id;
    place += static_cast<std::int64_t>(value.bits);
  } else if (!facts_.of(base.r).is_settled) {
    base.version = written_[base.r];
  }
  return {base, place};
}

} // namespace kerncast::lowering
