#include "emit.h"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include "tasklist/builder.h"

namespace kerncast::lowering {

namespace {

std::string constant_text(const Constant& constant) {
  switch (constant.kind) {
  case Constant::Kind::integer:
    return fmt::format("{}", static_cast<std::int64_t>(constant.bits));
  case Constant::Kind::real:
    return fmt::format("{}", std::bit_cast<double>(constant.bits));
  case Constant::Kind::parameter:
    return fmt::format("c[{}]", constant.bits);
  case Constant::Kind::variable:
    return fmt::format("c[{}+{}]", constant.text, constant.bits);
  case Constant::Kind::launch:
    return fmt::format("c[{}]", constant.text);
  case Constant::Kind::symbol:
    return std::string(constant.text);
  }
  return {};
}

class Emitter {
public:
  explicit Emitter(const Program& program)
      : program_(program), value_ids_(program.value_classes.size(), no_id),
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
    builder_.list.tasks.reserve(program_.ops.size());
    for (const tasklist::Block& block : program_.blocks) {
      builder_.list.blocks.push_back(block);
      for (std::uint32_t op = block.first_instruction; op < block.first_instruction + block.instruction_count;
           ++op) {
        if (!program_.ops[op].dead) {
          add_task(op);
        }
      }
    }
    return std::move(builder_).finish(flow);
  }

private:
  void add_task(std::uint32_t index) {
    const Op& op = program_.ops[index];
    const ptx::Instruction& instruction = program_.instruction(index);
    const auto& traits = program_.traits_of(op);
    tasklist::Task task;
    task.operation = operation_id(op.operation);
    task.kind = traits.kind;
    task.space = traits.space;
    task.access_bytes = op.access_bytes;
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
    const auto operands = program_.function->operands(instruction);
    for (std::size_t i = program_.traits_of(op).has_result ? 1 : 0; i < operands.size(); ++i) {
      collect_written(operands[i]);
    }
    for (const Use& use : program_.uses_of(op)) {
      if (use.value == no_id && use.constant != no_id) {
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
      const auto key = std::pair(constant.kind, constant.bits);
      const auto [entry, inserted] = constant_ids_.try_emplace(key, 0);
      if (inserted) {
        entry->second = builder_.constant(constant_text(constant));
      }
      id = entry->second;
    } else {
      id = builder_.constant(constant_text(constant));
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
    if (value_ids_[value] == no_id) {
      value_ids_[value] = static_cast<ValueId>(builder_.list.value_classes.size());
      builder_.list.value_classes.push_back(program_.value_classes[value]);
    }
    if (std::find(values.begin(), values.end(), value_ids_[value]) == values.end()) {
      values.push_back(value_ids_[value]);
    }
  }

  const Program& program_;
  std::vector<ValueId> value_ids_;
  std::vector<std::uint32_t> writers_; // live ones, by value
  std::vector<std::uint32_t> operation_ids_;
  std::vector<ValueId> definitions_, uses_;
  std::vector<std::uint32_t> constants_;
  std::map<std::pair<Constant::Kind, std::uint64_t>, std::uint32_t> constant_ids_;
  tasklist::Builder builder_;
};

} // namespace

tasklist::Tasklist emit(const Program& program, const tasklist::ControlFlow& flow) {
  return Emitter(program).run(flow);
}

} // namespace kerncast::lowering
