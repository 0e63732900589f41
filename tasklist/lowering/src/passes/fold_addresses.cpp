// Memory instructions add a signed 24-bit constant to their address register for free (observed in the
// machine code of sm_70 to sm_90: the field of LDG, STG, LDS, STS has 24 bits).
#include <algorithm>
#include <optional>

#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

namespace {

constexpr std::int64_t lowest_offset = -(std::int64_t{1} << 23);
constexpr std::int64_t highest_offset = (std::int64_t{1} << 23) - 1;

struct Addend {
  Redirection::Candidate candidate; // of an op that adds to its source
  std::int64_t offset = 0;
};

// add or sub of a register and a known integer; nothing for anything else.
std::optional<Addend> constant_add(const Program& program, const KnownValues& known, std::uint32_t op) {
  const Op& o = program.ops[op];
  const ptx::Opcode opcode = program.shape_of(o).opcode;
  const bool subtracts = opcode == ptx::Opcode::sub;
  if ((opcode != ptx::Opcode::add && !subtracts) || o.definitions.count != 1 || // two with .cc
      o.uses.count == 0) {
    return std::nullopt;
  }
  const ptx::Instruction& instruction = program.instruction(op);
  const auto operands = program.function->operands(instruction);
  if (instruction.guard != ptx::no_id || operands.size() != 3 || operands[1].kind != ptx::OperandKind::reg) {
    return std::nullopt;
  }
  const KnownValue by = known.of_operand(operands[2]);
  const auto offset = static_cast<std::int64_t>(by.bits);
  if (by.kind != KnownValue::Kind::number || offset < lowest_offset || offset > highest_offset) {
    return std::nullopt;
  }
  return Addend{{op, program.definitions_of(o)[0], program.uses_of(o)[0].value},
                subtracts ? -offset : offset};
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
  Redirection redirection(program, facts);
  std::vector<Redirection::Candidate> candidates;
  std::vector<std::int64_t> offsets; // that they add
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const auto add = constant_add(program, known, op);
    if (add && redirection.may_be(add->candidate)) {
      candidates.push_back(add->candidate);
      offsets.push_back(add->offset);
    }
  }
  if (candidates.empty()) {
    return;
  }
  std::vector<AddressReaders> readers = address_readers(program);
  redirection.redirect(candidates, [&](std::size_t i) {
    const AddressReaders& of_result = readers[candidates[i].result];
    AddressReaders& of_base = readers[candidates[i].source];
    if (!of_result.only_addresses() || of_result.lowest + offsets[i] < lowest_offset ||
        of_result.highest + offsets[i] > highest_offset) {
      return false;
    }
    of_base.include(of_result.lowest + offsets[i], of_result.highest + offsets[i]);
    --of_base.other_readers; // the add itself goes
    return true;
  });
  redirection.apply();
}

} // namespace kerncast::lowering
