#include "linear_sum.h"

#include <span>

namespace kerncast::lowering {
namespace {

using ptx::Opcode;
using ptx::Operand;

class Reader {
public:
  Reader(const KnownValues& known, std::span<const Operand> operands) : known_(known), operands_(operands) {}

  std::optional<LinearSum> of(Opcode opcode) {
    if (operands_.size() != (opcode == Opcode::mad ? 4U : 3U) || !read(opcode))
      return std::nullopt;
    return sum_;
  }

private:
  bool read(Opcode opcode) {
    switch (opcode) {
    case Opcode::add:
      return add(1, 1) && add(2, 1);
    case Opcode::sub:
      return add(1, 1) && add(2, ~std::uint64_t{0});
    case Opcode::shl: {
      const auto distance = number(2);
      return distance && *distance < 64 && add(1, std::uint64_t{1} << *distance);
    }
    case Opcode::mul:
      return add_product();
    default:
      return add_product() && add(3, 1); // mad
    }
  }

  // Of the first two sources, one of which is a number.
  bool add_product() {
    const auto left = number(1), right = number(2);
    return right ? add(1, *right) : left && add(2, *left);
  }

  std::optional<std::uint64_t> number(std::size_t operand) const {
    const Operand& o = operands_[operand];
    return known_.kind_of_operand(o) == ValueKind::number ? std::optional(known_.of_operand(o).bits)
                                                          : std::nullopt;
  }

  bool add(std::size_t operand, std::uint64_t factor) {
    if (known_.kind_of_operand(operands_[operand]) == ValueKind::unknown)
      return add_register(operand, factor);
    const KnownValue value = known_.of_operand(operands_[operand]);
    if (value.kind == ValueKind::place && factor == 1 && sum_.variable.empty())
      sum_.variable = value.base;
    else if (value.kind != ValueKind::number)
      return add_register(operand, factor);
    sum_.constant += factor * value.bits;
    return true;
  }

  bool add_register(std::size_t operand, std::uint64_t factor) {
    const Operand& o = operands_[operand];
    if (o.kind != ptx::OperandKind::reg || !o.name.empty() || o.negated)
      return false;
    if (sum_.count == 1 && sum_.terms[0].r == o.id) {
      sum_.terms[0].factor += factor;
      ++sum_.terms[0].reads;
    } else {
      sum_.terms[sum_.count++] = {.r = o.id, .use = use_of(operand), .factor = factor, .reads = 1};
    }
    return true;
  }

  // Registers are uses in the order of the operands.
  std::uint32_t use_of(std::size_t operand) const {
    std::uint32_t use = 0;
    for (std::size_t i = 1; i < operand; ++i)
      use += operands_[i].kind == ptx::OperandKind::reg ? 1 : 0;
    return use;
  }

  const KnownValues& known_;
  std::span<const Operand> operands_;
  LinearSum sum_;
};

} // namespace

std::optional<LinearSum> linear_sum(const Program& program, const KnownValues& known, std::uint32_t op) {
  const OperationShape& shape = program.shape_of(program.ops[op]);
  if (!shape.is_linear)
    return std::nullopt;
  const ptx::Instruction& instruction = program.instruction(op);
  if (instruction.guard != ptx::no_id)
    return std::nullopt;
  return Reader(known, program.function->operands(instruction)).of(shape.opcode);
}

} // namespace kerncast::lowering
