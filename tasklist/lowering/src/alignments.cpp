#include "alignments.h"

#include <algorithm>
#include <bit>

namespace kerncast::lowering {

namespace {

using ptx::Opcode;
using ptx::Operand;
using Bits = std::uint8_t;

constexpr Bits all_bits = 31;
constexpr Bits bits_of_variables = std::countr_zero(widest_access);

Bits zero_bits(std::uint64_t number) {
  return static_cast<Bits>(std::min<int>(std::countr_zero(number), all_bits));
}

Bits sum(Bits a, Bits b) { return std::min<Bits>(static_cast<Bits>(a + b), all_bits); }

class Follower {
public:
  Follower(const Program& program, const KnownValues& known, std::vector<Bits>& bits)
      : function_(*program.function), known_(known), bits_(bits) {}

  // Of the one result of an instruction.
  Bits result_of(const ptx::Instruction& instruction, const OperationShape& shape) const {
    const auto operands = function_.operands(instruction);
    return shape.is_plain && operands.size() >= 2 ? computed(shape.opcode, operands) : Bits{0};
  }

private:
  // As if of integers.
  Bits computed(Opcode opcode, std::span<const Operand> operands) const {
    const Bits a = of(operands[1]);
    const Bits b = operands.size() > 2 ? of(operands[2]) : Bits{0};
    switch (opcode) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::cvta:
      return a;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::selp:
    case Opcode::min:
    case Opcode::max:
      return std::min(a, b);
    case Opcode::and_:
      return std::max(a, b);
    case Opcode::mul:
      return sum(a, b);
    case Opcode::mad:
      return operands.size() == 4 ? std::min(sum(a, b), of(operands[3])) : Bits{0};
    case Opcode::shl:
      return shifted(a, operands);
    default:
      return 0;
    }
  }

  Bits shifted(Bits a, std::span<const Operand> operands) const {
    const KnownValue by = operands.size() == 3 ? known_.of_operand(operands[2]) : KnownValue{};
    return by.kind == KnownValue::Kind::number && by.bits <= all_bits ? sum(a, static_cast<Bits>(by.bits))
                                                                      : a;
  }

  Bits of(const Operand& operand) const {
    const KnownValue value = known_.of_operand(operand);
    if (value.kind == KnownValue::Kind::number)
      return zero_bits(value.bits);
    if (value.kind == KnownValue::Kind::place)
      return std::min(bits_of_variables, zero_bits(value.bits));
    return operand.kind == ptx::OperandKind::reg && operand.name.empty() ? bits_[operand.id] : Bits{0};
  }

  const ptx::Function& function_;
  const KnownValues& known_;
  const std::vector<Bits>& bits_;
};

} // namespace

Alignments::Alignments(const Program& program, const ValueFacts& facts, const KnownValues& known)
    : program_(program), facts_(facts), known_(known), zero_bits_(program.value_classes.size(), all_bits),
      is_followed_(program.value_classes.size(), false) {}

std::uint32_t Alignments::of(ptx::RegisterId r) {
  if (!is_followed_[r])
    settle(writers_behind(r));
  return zero_bits_[r];
}

// The ops that decide over a register and that no register asked for before depends on.
std::vector<std::uint32_t> Alignments::writers_behind(ptx::RegisterId r) {
  std::vector<std::uint32_t> ops;
  std::vector<ValueId> pending{r};
  is_followed_[r] = true;
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    facts_.for_each_writer(value, [&](std::uint32_t op) {
      ops.push_back(op);
      if (!program_.shape_of(program_.ops[op]).is_plain)
        return;
      for (const Use& use : program_.uses_of(program_.ops[op]))
        if (!is_followed_[use.value]) {
          is_followed_[use.value] = true;
          pending.push_back(use.value);
        }
    });
  }
  return ops;
}

// Registers begin as zeros; each round takes away what their writers do not keep, until nothing changes.
void Alignments::settle(std::vector<std::uint32_t> ops) {
  const Follower follower(program_, known_, zero_bits_);
  for (bool changes = true; changes;) {
    changes = false;
    std::erase_if(ops, [&](std::uint32_t op) {
      const auto results = program_.definitions_of(program_.ops[op]);
      const Bits bits = results.size() == 1 ? follower.result_of(program_.instruction(op),
                                                                 program_.shape_of(program_.ops[op]))
                                            : Bits{0};
      for (const ValueId value : results) {
        changes |= bits < zero_bits_[value];
        zero_bits_[value] = std::min(zero_bits_[value], bits);
      }
      return bits == 0;
    });
  }
}

} // namespace kerncast::lowering
