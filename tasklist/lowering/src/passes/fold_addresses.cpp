// Memory instructions add a signed 24-bit constant to their address register for free (observed in the
// machine code of sm_70 to sm_90: the field of LDG, STG, LDS, STS has 24 bits), asynchronous copies (LDGSTS)
// one of 12 bits to the address that they read (ptxas 13.0, sm_80 and sm_90: -2048 to 2032 cost nothing, 2048
// a sum).
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

namespace {

constexpr std::int64_t lowest_offset = -(std::int64_t{1} << 23);
constexpr std::int64_t highest_offset = (std::int64_t{1} << 23) - 1;
constexpr std::int64_t lowest_of_copy = -2048, highest_of_copy = 2047;

// A register that an integer operation multiplies by a constant, and adds to its other terms.
struct Term {
  ValueId value = no_id;
  std::int64_t factor = 1;
  std::uint32_t reads = 1; // of the register in the operation
};

// What an integer operation computes, as a sum of at most two terms and a constant.
struct Sum {
  std::array<Term, 2> terms;
  std::size_t count = 0;
  std::int64_t constant = 0;

  bool is_constant_added() const { return count == 1 && terms[0].factor == 1; }
};

bool is_linear(ptx::Opcode opcode) {
  using enum ptx::Opcode;
  return opcode == add || opcode == sub || opcode == shl || opcode == mul || opcode == mad;
}

bool fits_offset(std::int64_t offset) { return offset >= lowest_offset && offset <= highest_offset; }

// The operands of an operation: registers of unknown value, else numbers.
class SumReader {
public:
  SumReader(const Program& program, const KnownValues& known, std::uint32_t op)
      : known_(known), operands_(program.function->operands(program.instruction(op))),
        uses_(program.uses_of(program.ops[op])) {}

  std::size_t count() const { return operands_.size(); }
  std::optional<std::int64_t> number(std::size_t operand) const {
    const KnownValue value = known_.of_operand(operands_[operand]);
    return value.kind == KnownValue::Kind::number ? std::optional(static_cast<std::int64_t>(value.bits))
                                                  : std::nullopt;
  }
  // False if the operand is neither a register nor a number, or too large a number.
  bool add(std::size_t operand, std::int64_t factor, Sum& sum) const {
    const auto known = number(operand);
    if (!fits_offset(factor) || (known && !fits_offset(*known))) {
      return false; // what fits can be multiplied
    }
    if (known) {
      sum.constant += factor * *known;
      return fits_offset(sum.constant);
    }
    if (operands_[operand].kind != ptx::OperandKind::reg || !operands_[operand].name.empty()) {
      return false;
    }
    const ValueId value = value_of(operand);
    if (sum.count == 1 && sum.terms[0].value == value) {
      sum.terms[0].factor += factor;
      ++sum.terms[0].reads;
    } else {
      sum.terms[sum.count++] = {.value = value, .factor = factor};
    }
    return true;
  }

private:
  // Registers are uses in the order of the operands.
  ValueId value_of(std::size_t operand) const {
    std::size_t use = 0;
    for (std::size_t i = 1; i < operand; ++i) {
      use += operands_[i].kind == ptx::OperandKind::reg ? 1 : 0;
    }
    return use < uses_.size() ? uses_[use].value : no_id;
  }

  const KnownValues& known_;
  std::span<const ptx::Operand> operands_;
  std::span<const Use> uses_;
};

// a * b + c, where a or b is a number.
bool add_product(const SumReader& reader, Sum& sum) {
  const auto left = reader.number(1), right = reader.number(2);
  const bool read = right ? reader.add(1, *right, sum) : left && reader.add(2, *left, sum);
  return read && (reader.count() == 3 || reader.add(3, 1, sum));
}

bool read_sum(const SumReader& reader, ptx::Opcode opcode, Sum& sum) {
  using enum ptx::Opcode;
  switch (opcode) {
  case add:
  case sub:
    return reader.add(1, 1, sum) && reader.add(2, opcode == sub ? -1 : 1, sum);
  case shl: {
    const auto distance = reader.number(2);
    return distance && *distance >= 0 && *distance < 24 && reader.add(1, std::int64_t{1} << *distance, sum);
  }
  default:
    return add_product(reader, sum);
  }
}

// Of add, sub, shl, mul.lo and mad.lo of integers with one result as wide as its operands; nothing for
// anything else.
std::optional<Sum> sum_of(const Program& program, const KnownValues& known, std::uint32_t op) {
  const Op& o = program.ops[op];
  const OperationShape& shape = program.shape_of(o);
  const ptx::Opcode opcode = shape.opcode;
  if (!is_linear(opcode) || !shape.is_plain || shape.is_wide || o.definitions.count != 1 ||
      o.uses.count == 0 || // two with .cc
      program.instruction(op).guard != ptx::no_id) {
    return std::nullopt;
  }
  const SumReader reader(program, known, op);
  Sum sum;
  if (reader.count() != (opcode == ptx::Opcode::mad ? 4U : 3U) || !read_sum(reader, opcode, sum)) {
    return std::nullopt;
  }
  return sum.count == 0 ? std::nullopt : std::optional(sum);
}

// A sum that computes perhaps nothing but addresses: what the address readers of its result add, and how
// many other readers it has. One constant added to a register goes into the accesses; other sums hand on
// what is added to their terms.
struct AddressSum {
  Sum sum;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::int64_t factor = 0; // by which all readers multiply it on the way to an address; 0: none so far
  std::uint32_t other_readers = 0;
  bool is_of_copies = false; // some reader copies from there asynchronously

  bool is_dead() const { return other_readers == 0 && lowest > highest; }
  bool only_addresses() const { return other_readers == 0 && lowest <= highest; }
  bool fits() const {
    const std::int64_t offset = factor * sum.constant;
    return fits_offset(offset) && lowest + offset >= (is_of_copies ? lowest_of_copy : lowest_offset) &&
           highest + offset <= (is_of_copies ? highest_of_copy : highest_offset);
  }
  // One of its readers, by which it is multiplied, adds so much. False if others have another factor.
  bool include(std::int64_t low, std::int64_t high, std::int64_t by) {
    if (by == 0 || !fits_offset(by) || (factor != 0 && factor != by)) {
      return false;
    }
    factor = by;
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
    return true;
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
    sum.other_readers += sum.include(offset, offset, 1) ? 0 : 1;
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

// The sums whose constants can go into accesses, and those that only hand on what is added to them.
std::vector<AddressSum> find_sums(const Program& program, const KnownValues& known,
                                  Redirection& redirection) {
  std::vector<AddressSum> sums; // by candidate
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    const auto sum = sum_of(program, known, op);
    if (!sum) {
      continue;
    }
    const bool hands_on = std::any_of(
        sum->terms.begin(), sum->terms.begin() + static_cast<std::ptrdiff_t>(sum->count),
        [&](const Term& t) { return t.value != no_id && redirection.candidate_of(t.value) != no_id; });
    const ValueId result = program.definitions_of(program.ops[op])[0];
    if ((sum->is_constant_added() || hands_on) && redirection.add(op, result, sum->terms[0].value)) {
      sums.push_back({.sum = *sum});
    }
  }
  return sums;
}

// What reads the terms of a sum of which only addresses are computed reads them through it; of a dead one
// nothing does.
void hand_on(const Redirection& redirection, std::vector<AddressSum>& sums, std::size_t i,
             std::int64_t added) {
  const AddressSum read = sums[i];
  for (std::size_t t = 0; t < read.sum.count; ++t) {
    const Term& term = read.sum.terms[t];
    const std::uint32_t of_term = term.value == no_id ? no_id : redirection.candidate_of(term.value);
    if (of_term == no_id) {
      continue;
    }
    AddressSum& source = sums[of_term];
    const bool goes = read.is_dead() ||
                      source.include(read.lowest + added, read.highest + added, read.factor * term.factor);
    source.other_readers -= goes ? term.reads : 0;
    source.is_of_copies |= read.is_of_copies;
  }
}

} // namespace

void fold_addresses(Program& program, const ValueFacts& facts, const KnownValues& known) {
  Redirection redirection(program, facts);
  std::vector<AddressSum> sums = find_sums(program, known, redirection);
  if (sums.empty()) {
    return;
  }
  note_readers(program, redirection, sums);
  redirection.redirect([&](std::size_t i, ValueId) {
    const AddressSum& sum = sums[i];
    const bool folds = sum.sum.is_constant_added() && sum.only_addresses() && sum.fits();
    if (folds || sum.is_dead() || (!sum.sum.is_constant_added() && sum.only_addresses())) {
      hand_on(redirection, sums, i, folds ? sum.factor * sum.sum.constant : 0);
    }
    return folds;
  });
  redirection.apply();
}

} // namespace kerncast::lowering
