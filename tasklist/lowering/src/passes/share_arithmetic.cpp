// Common address arithmetic: what an integer operation or a conversion has computed from the same operands
// before, on every way, is not computed again (value numbering by dominators: Briggs, Cooper, Simpson, Value
// Numbering, 1997, section 4). Compilers in front of PTX share most of it; the trips of an unrolled loop,
// inlined functions and PTX written by hand have it. Special registers are read once as well (ptxas 13.0
// reads one again only where no reading lies on every way, in loops too).
//
// Left out: operands in another order, carries, floating-point arithmetic, a special register read as another
// type.
#include <algorithm>

#include "passes/passes.h"
#include "support/mix_bits.h"
#include "tasklist/id_table.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

class Sharer {
public:
  Sharer(Program& program, const ValueFacts& facts, const tasklist::DominatorTree& dominators)
      : program_(program), facts_(facts), dominators_(dominators),
        same_as_(program.value_classes.size(), no_id) {
    const std::size_t most = count_shared();
    first_.reserve(most);
    numbers_ = tasklist::IdTable(most);
  }

  void run() {
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      if (has_shared_) {
        read_shared_values(op);
      }
      if (can_be_shared(op)) {
        share(op);
      }
    }
  }

private:
  std::size_t count_shared() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(program_.ops, [&](const Op& op) { return program_.shape_of(op).is_shared; }));
  }

  // Writers stand before their readers in nearly every text; a use ahead of its writer keeps its own name.
  void read_shared_values(std::uint32_t op) {
    for (Use& use : program_.uses_of(program_.ops[op])) {
      if (use.value != no_id && use.role != Role::previous && same_as_[use.value] != no_id) {
        use.value = same_as_[use.value];
      }
    }
  }

  bool can_be_shared(std::uint32_t op) const {
    const Op& o = program_.ops[op];
    return program_.shape_of(o).is_shared && o.definitions.count == 1 &&
           facts_.of(result_of(op)).is_settled && program_.instruction(op).guard == ptx::no_id &&
           operands_stay(op);
  }

  // Of a move from a special register the operation names the register.
  bool operands_stay(std::uint32_t op) const {
    if (program_.shape_of(program_.ops[op]).opcode == ptx::Opcode::mov) {
      return true;
    }
    const auto operands = program_.function->operands(program_.instruction(op)).subspan(1);
    const auto is_plain = [](const ptx::Operand& operand) {
      return (operand.kind == OperandKind::reg && operand.name.empty()) ||
             operand.kind == OperandKind::integer;
    };
    return std::ranges::all_of(operands, is_plain) &&
           std::ranges::all_of(program_.uses_of(program_.ops[op]), [&](const Use& use) {
             return use.value == no_id ? use.constant != no_id : facts_.of(use.value).is_settled;
           });
  }

  void share(std::uint32_t op) {
    const auto fresh = static_cast<std::uint32_t>(first_.size());
    const std::uint32_t number =
        numbers_.find_or_add(hash_of(op), fresh, [&](std::uint32_t n) { return are_equal(first_[n], op); });
    if (number == fresh) {
      first_.push_back(op);
    } else if (comes_before(first_[number], op)) {
      same_as_[result_of(op)] = result_of(first_[number]);
      has_shared_ = true;
    } else {
      first_[number] = op;
    }
  }

  ValueId result_of(std::uint32_t op) const { return program_.definitions_of(program_.ops[op])[0]; }

  bool comes_before(std::uint32_t first, std::uint32_t op) const {
    const auto from = program_.block_of[first], to = program_.block_of[op];
    return from == to || dominators_.dominates(from, to);
  }

  std::uint64_t hash_of(std::uint32_t op) const {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
    std::uint64_t hash = program_.ops[op].operation;
    for (const Use& use : program_.uses_of(program_.ops[op])) {
      const std::uint64_t operand = use.value != no_id ? use.value : program_.constants[use.constant].bits;
      hash = (hash ^ operand) * odd;
    }
    if (program_.ops[op].has_numbers) {
      for (const ptx::Operand& operand : program_.function->operands(program_.instruction(op))) {
        if (operand.kind == OperandKind::integer) {
          hash = (hash ^ static_cast<std::uint64_t>(operand.value)) * odd;
        }
      }
    }
    return mix_bits(hash);
  }

  bool are_equal(std::uint32_t a, std::uint32_t b) const {
    const auto is_equal_use = [&](const Use& x, const Use& y) {
      return x.value == y.value &&
             (x.value != no_id || is_equal(program_.constants[x.constant], program_.constants[y.constant]));
    };
    const auto is_equal_operand = [](const ptx::Operand& x, const ptx::Operand& y) {
      return x.kind == y.kind && x.negated == y.negated &&
             (x.kind != OperandKind::integer || x.value == y.value);
    };
    const auto operands_of = [&](std::uint32_t op) {
      return program_.function->operands(program_.instruction(op)).subspan(1);
    };
    return program_.ops[a].operation == program_.ops[b].operation &&
           std::ranges::equal(program_.uses_of(program_.ops[a]), program_.uses_of(program_.ops[b]),
                              is_equal_use) &&
           std::ranges::equal(operands_of(a), operands_of(b), is_equal_operand);
  }

  static bool is_equal(const Constant& a, const Constant& b) {
    return a.kind == b.kind && a.bits == b.bits && a.text == b.text;
  }

  Program& program_;
  const ValueFacts& facts_;
  const tasklist::DominatorTree& dominators_;
  std::vector<ValueId> same_as_; // by value: the one that its readers read; no_id: itself
  bool has_shared_ = false;
  std::vector<std::uint32_t> first_; // by number: the op that computes it
  tasklist::IdTable numbers_;
};

} // namespace

void share_arithmetic(Program& program, const ValueFacts& facts, const tasklist::DominatorTree& dominators) {
  Sharer(program, facts, dominators).run();
}

} // namespace kerncast::lowering
