#include "emit.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "access_places.h"
#include "support/mix_bits.h"
#include "tasklist/builder.h"
#include "tasklist/id_table.h"

namespace kerncast::lowering {

namespace {

// Writes texts of constants, one at a time.
class ConstantWriter {
public:
  // Valid until the next call.
  std::string_view write(const Constant& constant) {
    text_.clear();
    switch (constant.kind) {
    case Constant::Kind::integer:
      add_number(static_cast<std::int64_t>(constant.bits));
      break;
    case Constant::Kind::real:
      fmt::format_to(std::back_inserter(text_), "{}", std::bit_cast<double>(constant.bits));
      break;
    case Constant::Kind::parameter:
      text_ += "c[";
      add_number(constant.bits);
      text_ += ']';
      break;
    case Constant::Kind::variable:
      text_.append("c[").append(constant.text) += '+';
      add_number(constant.bits);
      text_ += ']';
      break;
    case Constant::Kind::launch:
      text_.append("c[").append(constant.text) += ']';
      break;
    case Constant::Kind::symbol:
      text_ = constant.text;
      break;
    }
    return text_;
  }

private:
  template <class Integer> void add_number(Integer value) {
    char digits[24];
    text_.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
  }

  std::string text_;
};

// Which constant of the list stands for a number or a parameter.
class NumberIds {
public:
  // no_id: not known yet, to be filled in.
  std::uint32_t& find(Constant::Kind kind, std::uint64_t bits) {
    const auto fresh = static_cast<std::uint32_t>(numbers_.size());
    const std::uint32_t number = ids_.find_or_add(
        mix_bits(bits ^ static_cast<std::uint64_t>(kind) << 62), fresh,
        [&](std::uint32_t n) { return numbers_[n].bits == bits && numbers_[n].kind == kind; });
    if (number == fresh) {
      numbers_.push_back({bits, no_id, kind});
    }
    return numbers_[number].id;
  }

private:
  struct Number {
    std::uint64_t bits = 0;
    std::uint32_t id = no_id;
    Constant::Kind kind = Constant::Kind::integer;
  };

  std::vector<Number> numbers_;
  tasklist::IdTable ids_;
};

class Emitter {
public:
  Emitter(Program& program, std::vector<AccessPlace> places)
      : program_(program), places_(std::move(places)), value_ids_(program.value_classes.size(), no_id),
        writers_(program.value_classes.size(), 0), operation_ids_(program.operations.size(), no_id) {
    for (const Op& op : program.ops) {
      if (!op.dead) {
        for (const ValueId value : program.definitions_of(op)) {
          ++writers_[value];
        }
      }
    }
  }

  tasklist::Tasklist run(const tasklist::ControlFlow& flow) {
    reserve();
    for (tasklist::Block& written : program_.blocks) {
      const tasklist::Block& block = builder_.list.blocks.emplace_back(std::move(written));
      for (std::uint32_t op = block.first_instruction; op < block.first_instruction + block.instruction_count;
           ++op) {
        if (!program_.ops[op].dead) {
          add_task(op);
        }
      }
    }
    return std::move(builder_).finish_without_dependencies(flow);
  }

private:
  void reserve() {
    tasklist::Tasklist& list = builder_.list;
    const auto live =
        static_cast<std::size_t>(std::ranges::count_if(program_.ops, [](const Op& op) { return !op.dead; }));
    list.tasks.reserve(live);
    list.blocks.reserve(program_.blocks.size());
    list.value_classes.reserve(std::min(program_.value_classes.size(), 2 * live));
    list.values.reserve(std::min(program_.definitions.size() + program_.uses.size(), 4 * live));
    list.constant_pool.reserve(live);
  }

  void add_task(std::uint32_t index) {
    const Op& op = program_.ops[index];
    const ptx::Instruction& instruction = program_.instruction(index);
    const auto& traits = program_.traits_of(op);
    tasklist::Task task;
    task.operation = operation_id(op.operation);
    task.kind = traits.kind;
    task.space = traits.space;
    task.access_bytes = op.access_bytes;
    task.base = places_[index].base;
    task.offset = places_[index].offset;
    task.predicated = instruction.guard != ptx::no_id;
    task.instruction = index;
    task.line = instruction.place.line;
    if (instruction.source != ptx::no_id) {
      task.source_line = program_.function->source_lines[instruction.source].line;
    }
    definitions_.clear();
    uses_.clear();
    for (const ValueId value : program_.definitions_of(op)) {
      append(definitions_, value);
    }
    for (const Use& use : program_.uses_of(op)) {
      // The old value of a destination that nobody else writes is undefined: it is not read.
      const bool undefined = use.role == Role::previous && use.value != no_id && writers_[use.value] == 1;
      if (use.value != no_id && !undefined) {
        append(uses_, use.value);
      }
    }
    collect_constants(op, instruction);
    builder_.add(task, definitions_, uses_, constants_);
  }

  // Of the operands as written, then those that registers held until they were folded.
  void collect_constants(const Op& op, const ptx::Instruction& instruction) {
    constants_.clear();
    if (op.has_numbers) {
      const auto operands = program_.function->operands(instruction);
      for (std::size_t i = program_.traits_of(op).has_result ? 1 : 0; i < operands.size(); ++i) {
        collect_written(operands[i]);
      }
    }
    for (const Use& use : program_.uses_of(op)) {
      if (use.constant != no_id && use.value == no_id) {
        append_constant(program_.constants[use.constant]);
      }
    }
  }

  void collect_written(const ptx::Operand& operand) {
    if (operand.kind == ptx::OperandKind::integer) {
      append_constant({Constant::Kind::integer, static_cast<std::uint64_t>(operand.value), {}});
    } else if (operand.kind == ptx::OperandKind::real) {
      append_constant({Constant::Kind::real, std::bit_cast<std::uint64_t>(operand.real()), {}});
    } else if (operand.kind == ptx::OperandKind::vector) {
      for (const ptx::Operand& element : program_.function->elements(operand)) {
        collect_written(element);
      }
    }
  }

  // Each constant once per task.
  void append_constant(const Constant& constant) {
    std::uint32_t id = 0;
    if (constant.text.empty()) {
      std::uint32_t& known = numbers_.find(constant.kind, constant.bits);
      known = known == no_id ? builder_.constant(writer_.write(constant)) : known;
      id = known;
    } else {
      id = builder_.constant(writer_.write(constant));
    }
    if (std::find(constants_.begin(), constants_.end(), id) == constants_.end()) {
      constants_.push_back(id);
    }
  }

  std::uint32_t operation_id(std::uint32_t operation) {
    if (operation_ids_[operation] == no_id) {
      operation_ids_[operation] = builder_.operation(program_.operations[operation]);
    }
    return operation_ids_[operation];
  }

  // Each value once per task: one register read serves every operand.
  void append(std::vector<ValueId>& values, ValueId value) {
    ValueId& id = value_ids_[value];
    if (id == no_id) {
      id = static_cast<ValueId>(builder_.list.value_classes.size());
      builder_.list.value_classes.push_back(program_.value_classes[value]);
    }
    for (const ValueId known : values) { // few
      if (known == id) {
        return;
      }
    }
    values.push_back(id);
  }

  Program& program_;
  std::vector<AccessPlace> places_; // by op
  std::vector<ValueId> value_ids_;
  std::vector<std::uint32_t> writers_; // live ones, by value
  std::vector<std::uint32_t> operation_ids_;
  std::vector<ValueId> definitions_, uses_;
  std::vector<std::uint32_t> constants_;
  NumberIds numbers_;
  ConstantWriter writer_;
  tasklist::Builder builder_;
};

} // namespace

tasklist::Tasklist emit(Program program, const ProgramFacts& facts) {
  return Emitter(program, find_access_places(program, facts)).run(facts.flow);
}

} // namespace kerncast::lowering
