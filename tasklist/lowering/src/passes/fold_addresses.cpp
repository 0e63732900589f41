// Memory instructions add a signed 24-bit constant to their address register for free (observed in the
// machine code of sm_70 to sm_90: the field of LDG, STG, LDS, STS has 24 bits), asynchronous copies (LDGSTS)
// one of 12 bits to the address that they read (ptxas 13.0, sm_80 and sm_90: -2048 to 2032 cost nothing, 2048
// a sum).
#include <algorithm>
#include <optional>

#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

namespace {

constexpr std::int64_t lowest_offset = -(std::int64_t{1} << 23);
constexpr std::int64_t highest_offset = (std::int64_t{1} << 23) - 1;
constexpr std::int64_t lowest_of_copy = -2048, highest_of_copy = 2047;

struct Addend {
  ValueId result = no_id;
  ValueId base = no_id;
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
  if (instruction.guard != ptx::no_id || operands.size() != 3 || operands[1].kind != ptx::OperandKind::reg ||
      known.kind_of_operand(operands[2]) != KnownValue::Kind::number) {
    return std::nullopt;
  }
  const auto offset = static_cast<std::int64_t>(known.of_operand(operands[2]).bits);
  if (offset < lowest_offset || offset > highest_offset) {
    return std::nullopt;
  }
  return Addend{program.definitions_of(o)[0], program.uses_of(o)[0].value, subtracts ? -offset : offset};
}

// An add that computes perhaps nothing but addresses: what the address readers of its result add, and how
// many other readers it has.
struct AddressSum {
  std::int64_t offset = 0; // that it adds itself
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::uint32_t other_readers = 0;
  bool is_of_copies = false; // some reader copies from there asynchronously

  bool is_dead() const { return other_readers == 0 && lowest > highest; }
  bool only_addresses() const { return other_readers == 0 && lowest <= highest; }
  bool fits() const {
    return lowest + offset >= (is_of_copies ? lowest_of_copy : lowest_offset) &&
           highest + offset <= (is_of_copies ? highest_of_copy : highest_offset);
  }
  void include(std::int64_t low, std::int64_t high) {
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
};

// The constant behind the register in an op's `index`-th address; every address use has one.
std::int64_t offset_of_address(const Program& program, std::uint32_t op, std::size_t index) {
  for (const ptx::Operand& operand : program.function->operands(program.instruction(op))) {
    const bool has_register =
        operand.kind == ptx::OperandKind::address && operand.name.empty() && operand.id != ptx::no_id;
    if (has_register && index-- == 0) {
      return operand.offset();
    }
  }
  return 0;
}

// Its places in shared memory are 32 bits wide.
bool is_copied_from(const Program& program, std::uint32_t op, ValueId address) {
  return program.value_classes[address] == tasklist::ValueClass::b64 &&
         program.operations[program.ops[op].operation].starts_with("cp.async.c"); // .ca, .cg
}

// `index` is the use's among the addresses of its op.
void note_reader(const Program& program, std::uint32_t op, const Use& use, std::size_t index,
                 AddressSum& sum) {
  if (use.role == Role::address) {
    const std::int64_t offset = offset_of_address(program, op, index);
    sum.include(offset, offset);
    sum.is_of_copies |= is_copied_from(program, op, use.value);
  } else {
    ++sum.other_readers;
  }
}

void note_readers(const Program& program, const Redirection& redirection, std::vector<AddressSum>& sums) {
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    std::size_t addresses = 0;
    for (const Use& use : program.uses_of(program.ops[op])) {
      const std::size_t index = addresses;
      addresses += use.role == Role::address ? 1 : 0;
      const std::uint32_t candidate = use.value != no_id ? redirection.candidate_of(use.value) : no_id;
      if (candidate != no_id) {
        note_reader(program, op, use, index, sums[candidate]);
      }
    }
  }
}

} // namespace

void fold_addresses(Program& program, const ValueFacts& facts, const KnownValues& known) {
  Redirection redirection(program, facts);
  std::vector<AddressSum> sums; // by candidate
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    const auto add = constant_add(program, known, op);
    if (add && redirection.add(op, add->result, add->base)) {
      sums.push_back({.offset = add->offset});
    }
  }
  if (sums.empty()) {
    return;
  }
  note_readers(program, redirection, sums);
  redirection.redirect([&](std::size_t i, ValueId base) {
    const AddressSum& sum = sums[i];
    const bool folds = sum.only_addresses() && sum.fits();
    const std::uint32_t of_base = redirection.candidate_of(base);
    if (of_base != no_id && (folds || sum.is_dead())) {
      --sums[of_base].other_readers; // the add itself goes
    }
    if (of_base != no_id && folds) {
      sums[of_base].include(sum.lowest + sum.offset, sum.highest + sum.offset);
      sums[of_base].is_of_copies |= sum.is_of_copies;
    }
    return folds;
  });
  redirection.apply();
}

} // namespace kerncast::lowering
