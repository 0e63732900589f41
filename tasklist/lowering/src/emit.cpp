#include "emit.h"

#include <algorithm>
#include <bit>

#include "access_places.h"
#include "constant_ids.h"
#include "tasklist/operation.h"

namespace kerncast::lowering {

namespace {

class Emitter {
public:
  Emitter(Program& program, std::span<const AccessPlace> places)
      : program_(program), next_place_(places.begin()), last_place_(places.end()),
        value_ids_(program.value_classes.size(), no_id), operation_ids_(program.operations.size(), no_id),
        constant_ids_(program.constants.size(), no_id) {}

  tasklist::Tasklist run() {
    reserve();
    for (tasklist::Block& block : program_.blocks) {
      add_tasks(block);
    }
    list_.values.resize(value_count_);
    list_.blocks = std::move(program_.blocks);
    return std::move(list_);
  }

private:
  void reserve() {
    const auto live =
        static_cast<std::size_t>(std::ranges::count_if(program_.ops, [](const Op& op) { return !op.dead; }));
    list_.tasks.reserve(live);
    list_.value_classes.reserve(std::min(program_.value_classes.size(), 2 * live));
    list_.values.resize(program_.definitions.size() + program_.uses.size());
    list_.constant_pool.reserve(live);
    list_.operations.reserve(program_.operations.size());
  }

  void add_tasks(tasklist::Block& block) {
    block.first_task = static_cast<std::uint32_t>(list_.tasks.size());
    std::uint32_t accesses = 0;
    const std::uint32_t end = block.first_instruction + block.instruction_count;
    for (std::uint32_t index = block.first_instruction; index < end; ++index) {
      const Op& op = program_.ops[index];
      if (op.dead) {
        continue;
      }
      tasklist::Task& task = list_.tasks.emplace_back();
      describe(op, index, task);
      if (tasklist::is_memory(task.kind)) {
        task.access = static_cast<std::uint16_t>(accesses++);
        place(index, task);
      }
      task.constants.begin = end_of(list_.constant_pool);
      if (op.has_numbers) {
        add_numbers(op, index, task);
      }
      add_values(op, task);
      task.constants.count = end_of(list_.constant_pool) - task.constants.begin;
    }
    block.task_count = static_cast<std::uint32_t>(list_.tasks.size()) - block.first_task;
  }

  void describe(const Op& op, std::uint32_t index, tasklist::Task& task) {
    const ptx::Instruction& instruction = program_.instruction(index);
    const tasklist::OperationTraits& traits = program_.traits_of(op);
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
  }

  void place(std::uint32_t op, tasklist::Task& task) {
    while (next_place_ != last_place_ && next_place_->op < op) {
      ++next_place_;
    }
    if (next_place_ != last_place_ && next_place_->op == op) {
      task.base = next_place_->base;
      task.offset = next_place_->offset;
    }
  }

  // Of the operands as written; those that registers held until they were folded come behind.
  void add_numbers(const Op& op, std::uint32_t index, const tasklist::Task& task) {
    const auto operands = program_.function->operands(program_.instruction(index));
    for (std::size_t i = program_.traits_of(op).has_result ? 1 : 0; i < operands.size(); ++i) {
      add_written(operands[i], task);
    }
  }

  void add_values(const Op& op, tasklist::Task& task) {
    task.definitions.begin = value_count_;
    for (const ValueId value : program_.definitions_of(op)) {
      add_once(task.definitions, value_id(value));
    }
    task.uses.begin = value_count_;
    for (const Use& use : program_.uses_of(op)) {
      if (use.value == no_id) {
        add_folded(use, task);
      } else if (use.role != Role::previous || !is_written_here_only(use.value)) {
        add_once(task.uses, value_id(use.value));
      }
    }
  }

  void add_folded(const Use& use, const tasklist::Task& task) {
    if (use.constant != no_id) {
      std::uint32_t& id = constant_ids_[use.constant];
      id = id == no_id ? constants_.of(program_.constants[use.constant]) : id;
      add_once(list_.constant_pool, task.constants.begin, id);
    }
  }

  void add_written(const ptx::Operand& operand, const tasklist::Task& task) {
    if (operand.kind == ptx::OperandKind::integer) {
      const auto bits = static_cast<std::uint64_t>(operand.value);
      add_once(list_.constant_pool, task.constants.begin, constants_.of({Constant::Kind::integer, bits, {}}));
    } else if (operand.kind == ptx::OperandKind::real) {
      const auto bits = std::bit_cast<std::uint64_t>(operand.real());
      add_once(list_.constant_pool, task.constants.begin, constants_.of({Constant::Kind::real, bits, {}}));
    } else if (operand.kind == ptx::OperandKind::vector) {
      for (const ptx::Operand& element : program_.function->elements(operand)) {
        add_written(element, task);
      }
    }
  }

  std::uint32_t operation_id(std::uint32_t operation) {
    std::uint32_t& id = operation_ids_[operation];
    if (id == no_id) {
      id = end_of(list_.operations);
      list_.operations.push_back(std::move(program_.operations[operation]));
    }
    return id;
  }

  ValueId value_id(ValueId value) {
    ValueId& id = value_ids_[value];
    if (id == no_id) {
      id = end_of(list_.value_classes);
      list_.value_classes.push_back(program_.value_classes[value]);
    }
    return id;
  }

  // Whether the live op that keeps a part of the value is the only one that writes it: what it keeps is
  // undefined then and not read.
  bool is_written_here_only(ValueId value) {
    if (writers_.empty()) {
      count_writers();
    }
    return writers_[value] == 1;
  }

  void count_writers() {
    writers_.resize(program_.value_classes.size());
    for (const Op& op : program_.ops) {
      if (!op.dead) {
        for (const ValueId value : program_.definitions_of(op)) {
          ++writers_[value];
        }
      }
    }
  }

  template <class T> static std::uint32_t end_of(const std::vector<T>& pool) {
    return static_cast<std::uint32_t>(pool.size());
  }

  // Each value once per task: one register read serves every operand. `of_task` is the last range.
  void add_once(Range& of_task, ValueId id) {
    std::uint32_t* const values = list_.values.data();
    for (std::uint32_t i = of_task.begin; i < value_count_; ++i) { // few
      if (values[i] == id) {
        return;
      }
    }
    values[value_count_++] = id;
    ++of_task.count;
  }

  // Constants likewise.
  static void add_once(std::vector<std::uint32_t>& pool, std::uint32_t begin, std::uint32_t id) {
    for (std::size_t i = begin; i < pool.size(); ++i) {
      if (pool[i] == id) {
        return;
      }
    }
    pool.push_back(id);
  }

  Program& program_;
  std::span<const AccessPlace>::iterator next_place_, last_place_;
  std::vector<ValueId> value_ids_;
  std::vector<std::uint32_t> operation_ids_;
  std::vector<std::uint32_t> constant_ids_; // of Program::constants
  std::vector<std::uint32_t> writers_;      // live ones, by value; counted when first asked for
  tasklist::Tasklist list_;
  ConstantIds constants_{list_.constants};
  std::uint32_t value_count_ = 0; // of list_.values, which has room for all
};

} // namespace

tasklist::Tasklist emit(Program program, const ProgramFacts& facts) {
  const std::vector<AccessPlace> places = find_access_places(program, facts);
  tasklist::Tasklist list = Emitter(program, places).run();
  list.loops = facts.loops;
  return list;
}

} // namespace kerncast::lowering
