#include "known_values.h"

#include <algorithm>
#include <array>

#include "ptx_parser/extension.h"

namespace kerncast::lowering {

namespace {

using ptx::Opcode;
using ptx::OperandKind;

std::uint64_t shifted_left(std::uint64_t a, std::uint64_t b) { return b > 63 ? 0 : a << b; }

struct Arithmetic {
  Opcode opcode;
  std::uint64_t (*apply)(std::uint64_t, std::uint64_t);
};
constexpr std::array evaluated_arithmetic = {
    Arithmetic{Opcode::add, [](std::uint64_t a, std::uint64_t b) { return a + b; }},
    Arithmetic{Opcode::sub, [](std::uint64_t a, std::uint64_t b) { return a - b; }},
    Arithmetic{Opcode::mul, [](std::uint64_t a, std::uint64_t b) { return a * b; }},
    Arithmetic{Opcode::and_, [](std::uint64_t a, std::uint64_t b) { return a & b; }},
    Arithmetic{Opcode::or_, [](std::uint64_t a, std::uint64_t b) { return a | b; }},
    Arithmetic{Opcode::xor_, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
    Arithmetic{Opcode::shl, shifted_left}};

class Evaluator {
public:
  Evaluator(const KnownValues& values, const ptx::Function& function)
      : values_(values), function_(function) {}

  KnownValue run(const ptx::Instruction& instruction, const OperationShape& shape) const {
    const auto operands = function_.operands(instruction);
    if (operands.size() < 2 || instruction.guard != ptx::no_id || operands[0].kind != OperandKind::reg ||
        !operands[0].name.empty() || !operands_tell_something(operands.subspan(1))) {
      return {};
    }
    switch (shape.opcode) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::cvta:
      return operands.size() == 2 ? converted(values_.of_operand(operands[1]), shape) : KnownValue{};
    case Opcode::mad:
      return multiplied_and_added(operands, shape);
    default:
      return operands.size() == 3 ? combined(operands, shape) : KnownValue{};
    }
  }

private:
  static const Arithmetic& arithmetic_of(Opcode opcode) {
    return *std::ranges::find(evaluated_arithmetic, opcode, &Arithmetic::opcode);
  }

  // Most instructions read something unknown, which is seen without looking at what they do.
  bool operands_tell_something(std::span<const ptx::Operand> operands) const {
    bool all = true, has_base = false;
    for (const ptx::Operand& operand : operands) {
      const ValueKind kind = values_.kind_of_operand(operand);
      all &= kind != ValueKind::unknown;
      has_base |= kind == ValueKind::place || kind == ValueKind::inside;
    }
    return all || has_base;
  }

  // Of integers that become floats only 0, which no rounding changes, is followed.
  static KnownValue converted(KnownValue value, const OperationShape& shape) {
    if (shape.rounds_integers) {
      const bool is_zero = value.kind == ValueKind::number && ptx::extended(value.bits, shape.from) == 0;
      return is_zero ? KnownValue{ValueKind::number, 0, {}} : KnownValue{};
    }
    if (value.kind == ValueKind::number) {
      value.bits = ptx::extended(ptx::extended(value.bits, shape.from), shape.to);
    }
    return value;
  }

  KnownValue combined(std::span<const ptx::Operand> operands, const OperationShape& shape) const {
    if (shape.opcode == Opcode::mul && ptx::is_untyped(shape.to)) {
      return {};
    }
    return apply(arithmetic_of(shape.opcode), values_.of_operand(operands[1]),
                 values_.of_operand(operands[2]), shape);
  }

  KnownValue multiplied_and_added(std::span<const ptx::Operand> operands, const OperationShape& shape) const {
    if (operands.size() != 4) {
      return {};
    }
    const KnownValue product = apply(arithmetic_of(Opcode::mul), values_.of_operand(operands[1]),
                                     values_.of_operand(operands[2]), shape);
    OperationShape sum = shape;
    sum.from = shape.is_wide ? ptx::Type::s64 : shape.from;
    sum.is_wide = false;
    return apply(evaluated_arithmetic.front(), product, values_.of_operand(operands[3]), sum);
  }

  // Places move by numbers; what is added to them otherwise leaves them in their variable.
  static KnownValue apply(const Arithmetic& operation, const KnownValue& a, const KnownValue& b,
                          const OperationShape& shape) {
    if (a.has_base() || b.has_base()) {
      return moved(operation, a, b);
    }
    if (a.kind != ValueKind::number || b.kind != ValueKind::number) {
      return {};
    }
    const bool shifts = operation.opcode == Opcode::shl;
    const std::uint64_t by = shifts ? b.bits & UINT32_MAX : ptx::extended(b.bits, shape.from);
    const std::uint64_t bits = operation.apply(ptx::extended(a.bits, shape.from), by);
    return {ValueKind::number, shape.is_wide ? bits : ptx::extended(bits, shape.to), {}};
  }

  static KnownValue moved(const Arithmetic& operation, const KnownValue& a, const KnownValue& b) {
    if (operation.opcode != Opcode::add && (operation.opcode != Opcode::sub || b.has_base())) {
      return {};
    }
    const KnownValue& base = a.has_base() ? a : b;
    const KnownValue& distance = a.has_base() ? b : a;
    const bool is_exact = base.kind == ValueKind::place && distance.kind == ValueKind::number;
    return {is_exact ? ValueKind::place : ValueKind::inside,
            is_exact ? operation.apply(base.bits, distance.bits) : 0, base.base};
  }

  const KnownValues& values_;
  const ptx::Function& function_;
};

} // namespace

KnownValues::KnownValues(const Program& program, const ValueFacts& facts)
    : of_value_(program.value_classes.size(), 0), of_result_(program.ops.size(), 0), known_(1) {
  const Evaluator evaluator(*this, *program.function);
  known_.reserve(program.ops.size() / 8 + 1);
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    const Op& o = program.ops[op];
    const OperationShape& shape = program.shape_of(o);
    if (!shape.is_evaluated || o.definitions.count != 1) {
      continue;
    }
    const KnownValue result = evaluator.run(program.instruction(op), shape);
    if (result.kind == ValueKind::unknown) {
      continue;
    }
    of_result_[op] = static_cast<std::uint32_t>(known_.size());
    if (const ValueId value = program.definitions_of(o)[0]; facts.of(value).is_settled) {
      of_value_[value] = of_result_[op];
    }
    known_.push_back(result);
  }
}

KnownValue KnownValues::of_operand(const ptx::Operand& operand) const {
  switch (operand.kind) {
  case OperandKind::integer:
    return {ValueKind::number, static_cast<std::uint64_t>(operand.value), {}};
  case OperandKind::symbol:
    return {ValueKind::place, static_cast<std::uint64_t>(operand.value), operand.name};
  case OperandKind::reg:
    return operand.name.empty() && !operand.negated ? of(operand.id) : KnownValue{};
  default:
    return {};
  }
}

} // namespace kerncast::lowering
