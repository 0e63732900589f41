// Memory instructions add a signed 24-bit constant to their address register for free (observed in the
// machine code of sm_70 to sm_90: the field of LDG, STG, LDS, STS has 24 bits), asynchronous copies (LDGSTS)
// one of 12 bits to the address that they read (ptxas 13.0, sm_80 and sm_90: -2048 to 2032 cost nothing, 2048
// a sum).
#include <algorithm>
#include <array>
#include <optional>

#include "linear_sum.h"
#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

namespace {

constexpr std::int64_t lowest_offset = -(std::int64_t{1} << 23);
constexpr std::int64_t highest_offset = (std::int64_t{1} << 23) - 1;
constexpr std::int64_t lowest_of_copy = -2048, highest_of_copy = 2047;

bool fits_offset(std::int64_t offset) { return offset >= lowest_offset && offset <= highest_offset; }

// A sum that computes perhaps nothing but addresses: what the address readers of its result add, and how
// many other readers it has. One constant added to a register goes into the accesses; other sums hand on
// what is added to their terms.
struct AddressSum {
  LinearSum sum;
  std::array<ValueId, 2> values{}; // of its terms
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::int64_t factor = 0; // by which all readers multiply it on the way to an address; 0: none so far
  std::uint32_t other_readers = 0;
  bool is_of_copies = false; // some reader copies from there asynchronously

  bool is_constant_added() const {
    return sum.count == 1 && sum.terms[0].factor == 1 && sum.variable.empty();
  }
  bool is_dead() const { return other_readers == 0 && lowest > highest; }
  bool only_addresses() const { return other_readers == 0 && lowest <= highest; }
  // By its own constant to addresses.
  std::int64_t added() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(factor) * sum.constant);
  }
  bool fits() const {
    const std::int64_t offset = added();
    return fits_offset(offset) && lowest + offset >= (is_of_copies ? lowest_of_copy : lowest_offset) &&
           highest + offset <= (is_of_copies ? highest_of_copy : highest_offset);
  }
  // One of its readers, by which it is multiplied, adds so much. False if that is too much, or if others have
  // another factor.
  bool include(std::int64_t low, std::int64_t high, std::int64_t by) {
    const bool fit = fits_offset(low) && fits_offset(high) && fits_offset(by);
    if (!fit || by == 0 || (factor != 0 && factor != by)) {
      return false;
    }
    factor = by;
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
    return true;
  }
};

// The constant behind the register of an address; every address use has one.
std::int64_t offset_of_address(const Program& program, const Use& address) {
  const Use* const first = program.uses_of(program.ops[address.reader]).data();
  auto index = std::count_if(first, &address, [](const Use& use) { return use.role == Role::address; });
  for (const ptx::Operand& operand : program.function->operands(program.instruction(address.reader))) {
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

void note_reader(const Program& program, const Use& use, AddressSum& sum) {
  if (use.role == Role::address) {
    const std::int64_t offset = offset_of_address(program, use);
    sum.other_readers += sum.include(offset, offset, 1) ? 0 : 1;
    sum.is_of_copies |= is_copied_from(program, use.reader, use.value);
  } else {
    ++sum.other_readers;
  }
}

void note_readers(const Program& program, const Redirection& redirection, std::vector<AddressSum>& sums) {
  for (const Use& use : program.uses) {
    const std::uint32_t candidate = use.value != no_id ? redirection.candidate_of(use.value) : no_id;
    if (candidate != no_id) {
      note_reader(program, use, sums[candidate]);
    }
  }
}

// What the op computes, if its readers may read something else instead.
std::optional<LinearSum> foldable_sum(const Program& program, const ValueFacts& facts,
                                      const KnownValues& known, std::uint32_t op) {
  const Op& o = program.ops[op];
  if (!program.shape_of(o).is_linear || o.definitions.count != 1 ||
      !facts.of(program.definitions_of(o)[0]).is_settled) {
    return std::nullopt;
  }
  return linear_sum(program, known, op);
}

// The sums whose constants can go into accesses, and those that only hand on what is added to their terms.
std::vector<AddressSum> find_sums(const Program& program, const ValueFacts& facts, const KnownValues& known,
                                  Redirection& redirection) {
  std::vector<AddressSum> sums; // by candidate
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    const auto linear = foldable_sum(program, facts, known, op);
    if (!linear || linear->count == 0) {
      continue;
    }
    AddressSum sum{.sum = *linear};
    bool hands_on = false;
    for (std::size_t t = 0; t < linear->count; ++t) {
      sum.values[t] = program.uses_of(program.ops[op])[linear->terms[t].use].value;
      hands_on |= sum.values[t] != no_id && redirection.candidate_of(sum.values[t]) != no_id;
    }
    const ValueId result = program.definitions_of(program.ops[op])[0];
    if ((sum.is_constant_added() || hands_on) && redirection.add(op, result, sum.values[0])) {
      sums.push_back(sum);
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
    const LinearSum::Term& term = read.sum.terms[t];
    const std::uint32_t of_term = read.values[t] == no_id ? no_id : redirection.candidate_of(read.values[t]);
    if (of_term == no_id) {
      continue;
    }
    AddressSum& source = sums[of_term];
    const std::uint64_t factor = static_cast<std::uint64_t>(read.factor) * term.factor;
    const bool goes = read.is_dead() || source.include(read.lowest + added, read.highest + added,
                                                       static_cast<std::int64_t>(factor));
    source.other_readers -= goes ? term.reads : 0;
    source.is_of_copies |= read.is_of_copies;
  }
}

} // namespace

void fold_addresses(Program& program, const ValueFacts& facts, const KnownValues& known) {
  Redirection redirection(program, facts);
  std::vector<AddressSum> sums = find_sums(program, facts, known, redirection);
  if (sums.empty()) {
    return;
  }
  note_readers(program, redirection, sums);
  redirection.redirect([&](std::size_t i, ValueId) {
    const AddressSum& sum = sums[i];
    const bool folds = sum.is_constant_added() && sum.only_addresses() && sum.fits();
    if (folds || sum.is_dead() || (!sum.is_constant_added() && sum.only_addresses())) {
      hand_on(redirection, sums, i, folds ? sum.added() : 0);
    }
    return folds;
  });
  redirection.apply();
}

} // namespace kerncast::lowering
