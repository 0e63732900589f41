#include "rewrite/local_arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "alignments.h"

namespace kerncast::lowering {

namespace {

using ptx::Operand;
using ptx::OperandKind;

constexpr std::uint32_t largest_array = 1020; // bytes: 255 registers
constexpr double loop_weight = 13;            // of what is in a loop to what is around it
constexpr double access_weight = 2;           // of an access to memory to other operations
constexpr double choice_weight = 1.18;        // of choosing one place

// A register that starts at one known place of an array and moves by a constant.
struct Walk {
  std::string_view base;
  std::optional<std::uint64_t> start;
  std::uint64_t step = 0; // 0: not known yet
  bool is_regular = true;
};

struct Candidate {
  LocalArray array;
  std::uint64_t alignment = 1; // bytes
  bool escapes = false;
  double choices = 0; // weight of what chooses among places
};

class ArrayFinder {
public:
  ArrayFinder(const Program& program, const ValueFacts& facts, const KnownValues& known,
              const std::vector<std::uint32_t>& loop_depths)
      : program_(program), function_(*program.function), facts_(facts), known_(known) {
    for (const std::uint32_t depth : loop_depths) {
      weights_.push_back(std::pow(loop_weight, depth));
    }
    for (const ptx::Variable& variable : function_.variables) {
      if (variable.space == ptx::Space::local) {
        add(variable);
      }
    }
  }

  std::vector<LocalArray> run() {
    if (std::ranges::all_of(candidates_, &Candidate::escapes)) {
      return {};
    }
    alignments_.emplace(program_, facts_, known_);
    find_walks();
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      look_at(op);
    }
    const double cost = cost_as_written();
    std::vector<LocalArray> found;
    for (Candidate& candidate : candidates_) {
      if (!candidate.escapes && !candidate.array.accesses.empty() && candidate.choices <= cost) {
        found.push_back(std::move(candidate.array));
      }
    }
    return found;
  }

private:
  void add(const ptx::Variable& variable) {
    const auto [known, is_new] =
        by_name_.emplace(variable.name, static_cast<std::uint32_t>(candidates_.size()));
    if (!is_new) { // a name of several scopes
      candidates_[known->second].escapes = true;
      return;
    }
    Candidate& candidate = candidates_.emplace_back();
    candidate.array.name = variable.name;
    candidate.alignment = std::max<std::uint64_t>({variable.alignment, ptx::size_bytes(variable.type), 1});
    candidate.escapes = variable.bytes() == 0 || variable.bytes() > largest_array;
    candidate.array.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(variable.bytes(), UINT32_MAX));
  }

  void add_choices(Candidate& candidate, std::uint32_t op, std::uint64_t places) const {
    candidate.choices += choice_weight * static_cast<double>(places) * weight_of(op);
  }

  double weight_of(std::uint32_t op) const { return weights_[program_.block_of[op]]; }

  double cost_as_written() const {
    double cost = 0;
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      const auto& traits = program_.traits_of(program_.ops[op]);
      const bool is_access = tasklist::is_memory(traits.kind) && traits.space != tasklist::Space::constant;
      cost += weight_of(op) * (is_access ? access_weight : 1);
    }
    return cost;
  }

  void let_escape(std::string_view name) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
      candidates_[found->second].escapes = true;
    }
  }

  // Registers with several writers that hold places of arrays.
  void find_walks() {
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      for (const ValueId value : program_.definitions_of(program_.ops[op])) {
        if (!facts_.of(value).is_settled && known_.result_of(op).has_base()) {
          walks_[value].base = known_.result_of(op).base;
        }
      }
    }
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      for (const ValueId value : program_.definitions_of(program_.ops[op])) {
        if (const auto walk = walks_.find(value); walk != walks_.end()) {
          add_writer(op, value, walk->second);
        }
      }
    }
  }

  void add_writer(std::uint32_t op, ValueId value, Walk& walk) {
    const KnownValue& result = known_.result_of(op);
    const std::uint64_t step = step_of(op, value);
    if (step != 0) {
      walk.is_regular &= walk.step == 0 && std::has_single_bit(step);
      walk.step = step;
    } else {
      walk.is_regular &= result.kind == ValueKind::place && result.base == walk.base && !walk.start;
      walk.start = result.bits;
    }
    if (!walk.is_regular) {
      let_escape(walk.base);
      let_escape(result.base);
    }
  }

  // v = v + constant: how far, in bytes; 0 for all others.
  std::uint64_t step_of(std::uint32_t op, ValueId value) const {
    const ptx::Instruction& instruction = program_.instruction(op);
    const auto operands = function_.operands(instruction);
    const bool adds = instruction.opcode == ptx::Opcode::add || instruction.opcode == ptx::Opcode::sub;
    if (!adds || instruction.guard != ptx::no_id || operands.size() != 3 ||
        operands[1].kind != OperandKind::reg || operands[1].id != value) {
      return 0;
    }
    const KnownValue by = known_.of_operand(operands[2]);
    const auto distance = static_cast<std::int64_t>(by.bits);
    return by.kind != ValueKind::number ? 0 : static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
  }

  void look_at(std::uint32_t op) {
    const ptx::Instruction& instruction = program_.instruction(op);
    const auto operands = function_.operands(instruction);
    const std::size_t first = program_.traits_of(program_.ops[op]).has_result ? 1 : 0;
    for (std::size_t i = first; i < operands.size(); ++i) {
      look_at(op, operands[i]);
      for (const Operand& element : function_.elements(operands[i])) {
        look_at(op, element);
      }
    }
  }

  // The array whose address the operand is or holds.
  KnownValue address_in(const Operand& operand) const {
    if (operand.kind == OperandKind::address) {
      if (!operand.name.empty()) {
        return {ValueKind::place, 0, operand.name};
      }
      return operand.id != ptx::no_id ? known_.of(operand.id) : KnownValue{};
    }
    return known_.of_operand(operand);
  }

  void look_at(std::uint32_t op, const Operand& operand) {
    const bool has_register = operand.kind == OperandKind::reg || operand.kind == OperandKind::address;
    if (has_register && operand.name.empty() && operand.id != ptx::no_id) {
      if (const auto walk = walks_.find(operand.id); walk != walks_.end()) {
        look_at_walk(op, operand, walk->second);
        return;
      }
    }
    const KnownValue value = address_in(operand);
    if (!value.has_base() || known_.result_of(op).has_base()) {
      return;
    }
    const auto found = by_name_.find(value.base);
    if (found == by_name_.end()) {
      return;
    }
    Candidate& candidate = candidates_[found->second];
    ArrayAccess access{.op = op};
    if (value.kind == ValueKind::place) {
      access.offset = static_cast<std::int64_t>(value.bits) + operand.offset();
    } else {
      access.index = operand.id;
    }
    add_access(candidate, std::move(access), operand);
  }

  void look_at_walk(std::uint32_t op, const Operand& operand, const Walk& walk) {
    const auto found = by_name_.find(walk.base);
    if (found == by_name_.end() || step_of(op, operand.id) != 0) {
      return;
    }
    Candidate& candidate = candidates_[found->second];
    if (!walk.start || walk.step == 0) {
      candidate.escapes = true;
      return;
    }
    ArrayAccess access{.op = op, .index = operand.id};
    // Of the pointer it is known where it stands within the array's alignment, whatever its steps.
    const std::uint64_t grain = std::min<std::uint64_t>(walk.step, candidate.alignment);
    for (std::uint64_t place = *walk.start % grain; place < candidate.array.bytes; place += grain) {
      access.places.push_back(place);
    }
    const std::uint64_t first = *walk.start % walk.step, bytes = candidate.array.bytes;
    const std::uint64_t places = first < bytes ? (bytes - first + walk.step - 1) / walk.step : 0;
    add_choices(candidate, op, places);
    add_access(candidate, std::move(access), operand);
  }

  void add_access(Candidate& candidate, ArrayAccess access, const Operand& address) {
    const std::uint32_t bytes = element_bytes(access.op, address);
    LocalArray& array = candidate.array;
    if (array.element_bytes == 0) {
      array.element_bytes = bytes;
    }
    candidate.escapes |= bytes == 0 || bytes != array.element_bytes || array.bytes % bytes != 0;
    if (candidate.escapes) {
      return;
    }
    if (access.index != no_id && access.places.empty()) {
      const std::uint32_t grain = std::max(bytes, 1U << alignments_->of(access.index));
      for (std::uint32_t place = 0; place < array.bytes; place += grain) {
        access.places.push_back(place);
      }
      add_choices(candidate, access.op, access.places.size());
    }
    const bool is_guarded = program_.instruction(access.op).guard != ptx::no_id;
    candidate.escapes |= access.index != no_id && is_guarded;
    candidate.escapes |=
        access.index == no_id && !fits(array, access.offset, program_.ops[access.op].access_bytes);
    array.accesses.push_back(std::move(access));
  }

  static bool fits(const LocalArray& array, std::int64_t offset, std::uint32_t access_bytes) {
    return offset >= 0 && offset % array.element_bytes == 0 && offset + access_bytes <= array.bytes;
  }

  // Of a load or store whose elements are whole registers; 0 for whatever else uses the address, and for
  // volatile accesses.
  std::uint32_t element_bytes(std::uint32_t op, const Operand& address) const {
    const ptx::Instruction& instruction = program_.instruction(op);
    const auto operands = function_.operands(instruction);
    const bool loads = instruction.opcode == ptx::Opcode::ld;
    const auto& traits = program_.traits_of(program_.ops[op]);
    if ((!loads && instruction.opcode != ptx::Opcode::st) || traits.space != tasklist::Space::local ||
        function_.has(instruction, ptx::Modifier::volatile_) || operands.size() != 2 ||
        address.kind != OperandKind::address || operands[loads ? 1 : 0].kind != address.kind) {
      return 0;
    }
    const Operand& data = operands[loads ? 0 : 1];
    const auto elements = function_.parts(data);
    const std::uint32_t bytes = program_.ops[op].access_bytes / static_cast<std::uint32_t>(elements.size());
    const bool is_whole = std::ranges::all_of(elements, [&](const Operand& element) {
      const bool is_constant = element.kind == OperandKind::integer || element.kind == OperandKind::real;
      return (is_constant && !loads) || (element.kind == OperandKind::reg && element.name.empty() &&
                                         ptx::size_bytes(function_.registers[element.id].type) == bytes);
    });
    return is_whole && (bytes == 4 || bytes == 8) ? bytes : 0;
  }

  const Program& program_;
  const ptx::Function& function_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::optional<Alignments> alignments_; // where there are arrays
  std::vector<double> weights_;          // by block
  std::vector<Candidate> candidates_;
  std::map<std::string_view, std::uint32_t> by_name_;
  std::map<ValueId, Walk> walks_;
};

} // namespace

std::vector<LocalArray> find_register_arrays(const Program& program, const ValueFacts& facts,
                                             const KnownValues& known,
                                             const std::vector<std::uint32_t>& loop_depths) {
  return ArrayFinder(program, facts, known, loop_depths).run();
}

} // namespace kerncast::lowering
