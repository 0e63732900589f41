// Memory instructions add a signed 24-bit constant to their address register for free (observed in the
// machine code of sm_70 to sm_90: the field of LDG, STG, LDS, STS has 24 bits).
#include <algorithm>

#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

namespace {

constexpr std::int64_t lowest_offset = -(std::int64_t{1} << 23);
constexpr std::int64_t highest_offset = (std::int64_t{1} << 23) - 1;

struct Addend {
  ValueId result = no_id;
  ValueId base = no_id;
  std::int64_t offset = 0;
};

// add or sub of a register and a known integer; result == no_id for anything else.
Addend constant_add(const Program& program, const KnownValues& known, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  const bool subtracts = instruction.opcode == ptx::Opcode::sub;
  if ((instruction.opcode != ptx::Opcode::add && !subtracts) || instruction.guard != ptx::no_id) {
    return {};
  }
  const auto operands = program.function->operands(instruction);
  const auto results = program.definitions_of(program.ops[op]); // two with .cc
  const auto uses = program.uses_of(program.ops[op]);
  if (operands.size() != 3 || operands[1].kind != ptx::OperandKind::reg || results.size() != 1 ||
      uses.empty() || known.of_operand(operands[2]).kind != KnownValue::Kind::number) {
    return {};
  }
  const auto offset = static_cast<std::int64_t>(known.of_operand(operands[2]).bits);
  if (offset < lowest_offset || offset > highest_offset) {
    return {};
  }
  return {results[0], uses[0].value, subtracts ? -offset : offset};
}

// What the address readers of a value add to it, and how many other readers it has.
struct AddressReaders {
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::uint32_t other_readers = 0;
  bool only_addresses() const { return other_readers == 0 && lowest <= highest; }
  void include(std::int64_t low, std::int64_t high) {
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
};

// Constants in the address operands with a register, in the order of the op's address uses.
class AddressOffsets {
public:
  AddressOffsets(const Program& program, std::uint32_t op)
      : operands_(program.function->operands(program.instruction(op))) {}

  // Of the next address; every address use has one.
  std::int64_t next() {
    while (operands_[next_].kind != ptx::OperandKind::address || !operands_[next_].name.empty() ||
           operands_[next_].id == ptx::no_id) {
      ++next_;
    }
    return operands_[next_++].offset();
  }

private:
  std::span<const ptx::Operand> operands_;
  std::size_t next_ = 0;
};

std::vector<AddressReaders> address_readers(const Program& program) {
  std::vector<AddressReaders> readers(program.value_classes.size());
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    AddressOffsets offsets(program, op);
    for (const Use& use : program.uses_of(program.ops[op])) {
      const bool is_address = use.role == Role::address;
      const std::int64_t offset = is_address ? offsets.next() : 0;
      if (use.value != no_id && is_address) {
        readers[use.value].include(offset, offset);
      } else if (use.value != no_id) {
        ++readers[use.value].other_readers;
      }
    }
  }
  return readers;
}

} // namespace

void fold_addresses(Program& program, const ValueFacts& facts, const KnownValues& known) {
  std::vector<AddressReaders> readers = address_readers(program);
  Redirection redirection(program, facts);
  redirection.scan([&](std::uint32_t op) {
    const Addend add = constant_add(program, known, op);
    if (add.result == no_id || !redirection.allowed(op, add.result, add.base)) {
      return;
    }
    const AddressReaders& of_result = readers[add.result];
    if (!of_result.only_addresses() || of_result.lowest + add.offset < lowest_offset ||
        of_result.highest + add.offset > highest_offset) {
      return;
    }
    redirection.redirect(add.result, add.base);
    readers[add.base].include(of_result.lowest + add.offset, of_result.highest + add.offset);
    --readers[add.base].other_readers; // the add itself goes
  });
  redirection.apply();
}

} // namespace kerncast::lowering
