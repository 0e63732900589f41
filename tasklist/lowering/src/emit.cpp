#include "emit.h"

#include <algorithm>

#include "tasklist/builder.h"

namespace kerncast::lowering {

namespace {

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

  tasklist::Tasklist run() {
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
    return std::move(builder_).finish();
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
    builder_.add(task, definitions_, uses_);
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
  tasklist::Builder builder_;
};

} // namespace

tasklist::Tasklist emit(const Program& program) { return Emitter(program).run(); }

} // namespace kerncast::lowering
