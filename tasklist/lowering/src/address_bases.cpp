#include "address_bases.h"

#include <optional>
#include <span>

namespace kerncast::lowering {
namespace {

using ptx::Opcode;
using ptx::Operand;

// address = base + place; steps from a register to the one that it is computed from.
class Walk {
public:
  Walk(const Program& program, const ValueFacts& facts, const KnownValues& known, ptx::RegisterId r,
       std::int64_t place)
      : program_(program), facts_(facts), known_(known), base_{.r = r},
        place_(static_cast<std::uint64_t>(place)),
        is_narrow_(program.value_classes[r] == tasklist::ValueClass::b32) {}

  std::pair<AddressBase, std::int64_t> run() {
    while (step())
      ;
    if (const KnownValue& value = known_.of(base_.r); value.kind == ValueKind::place && take_place(value))
      base_.r = ptx::no_id;
    if (is_narrow_)
      base_.scale = static_cast<std::uint32_t>(base_.scale);
    return {base_, is_narrow_ ? static_cast<std::int32_t>(place_) : static_cast<std::int64_t>(place_)};
  }

private:
  bool step() {
    const ValueFact& fact = facts_.of(base_.r);
    if (!fact.is_settled || fact.writer == no_id)
      return false;
    const ptx::Instruction& instruction = program_.instruction(fact.writer);
    const OperationShape& shape = program_.shape_of(program_.ops[fact.writer]);
    const auto operands = program_.function->operands(instruction);
    if (instruction.guard != ptx::no_id || !shape.is_plain || shape.is_wide || operands.size() < 3)
      return false;
    switch (shape.opcode) {
    case Opcode::add:
      return add(operands[1], 1, known_.of_operand(operands[2])) ||
             add(operands[2], 1, known_.of_operand(operands[1]));
    case Opcode::sub:
      return subtract(operands);
    case Opcode::shl:
      return shift(operands);
    case Opcode::mul:
      return multiply_and_add(operands, {.kind = ValueKind::number});
    case Opcode::mad:
      return operands.size() == 4 &&
             (multiply_and_add(operands, known_.of_operand(operands[3])) || add_product(operands));
    default:
      return false;
    }
  }

  // Wrong extension of 32 bits makes no difference modulo 2^32.
  static std::optional<std::uint64_t> number(const KnownValue& value) {
    return value.kind == ValueKind::number ? std::optional(value.bits) : std::nullopt;
  }

  // What is computed is factor x register + addend.
  bool add(const Operand& operand, std::uint64_t factor, const KnownValue& addend) {
    if (operand.kind != ptx::OperandKind::reg || !operand.name.empty() || operand.negated ||
        !facts_.of(operand.id).is_settled)
      return false;
    if (addend.kind == ValueKind::number)
      place_ += base_.scale * addend.bits;
    else if (addend.kind != ValueKind::place || !take_place(addend))
      return false;
    base_.scale *= factor;
    base_.r = operand.id;
    return true;
  }

  bool take_place(const KnownValue& value) {
    if (!base_.variable.empty() || base_.scale != 1)
      return false;
    base_.variable = value.base;
    place_ += value.bits;
    return true;
  }

  bool subtract(std::span<const Operand> operands) {
    const auto by = number(known_.of_operand(operands[2]));
    return by && add(operands[1], 1, {.kind = ValueKind::number, .bits = 0 - *by});
  }

  bool shift(std::span<const Operand> operands) {
    const auto by = number(known_.of_operand(operands[2]));
    return by && *by < (is_narrow_ ? 32U : 64U) &&
           add(operands[1], std::uint64_t{1} << *by, {.kind = ValueKind::number});
  }

  // register x constant + addend
  bool multiply_and_add(std::span<const Operand> operands, const KnownValue& addend) {
    const auto a = number(known_.of_operand(operands[1])), b = number(known_.of_operand(operands[2]));
    if (a.has_value() == b.has_value())
      return false;
    return add(operands[a ? 2 : 1], a ? *a : *b, addend);
  }

  // constant x constant + register
  bool add_product(std::span<const Operand> operands) {
    const auto a = number(known_.of_operand(operands[1])), b = number(known_.of_operand(operands[2]));
    return a && b && add(operands[3], 1, {.kind = ValueKind::number, .bits = *a * *b});
  }

  const Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  AddressBase base_;
  std::uint64_t place_ = 0;
  bool is_narrow_ = false;
};

} // namespace

std::pair<AddressBase, std::int64_t> AddressBases::of(const Operand& address) const {
  if (!address.name.empty() || address.id == ptx::no_id)
    return {{.variable = address.name}, address.offset()};
  auto [base, place] = Walk(program_, facts_, known_, address.id, address.offset()).run();
  if (base.r != ptx::no_id && !facts_.of(base.r).is_settled)
    base.version = written_[base.r];
  return {base, place};
}

} // namespace kerncast::lowering
