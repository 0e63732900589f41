// Along any path, what an operation waits for through slots is exactly what its task reads by name.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_programs.h"

namespace kerncast::machine::testing {
namespace {

// One execution of one of a task's machine operations: how often the task ran before, task, number within the
// task. Blocks that always follow each other may execute together, so the visits of blocks say nothing.
struct Instance {
  std::uint32_t time, task, number;
  auto operator<=>(const Instance&) const = default;
};
using Instances = std::set<Instance>;

// Operations of every task, in the program's order.
std::vector<std::uint32_t> operations_per_task(const tasklist::Tasklist& list,
                                               const MachineProgram& program) {
  std::vector<std::uint32_t> count(list.tasks.size(), 0);
  for (const MachineOp& op : program.ops)
    ++count[op.task];
  return count;
}

enum class Reads { operands, step_before, nothing };

// What an operation of a task's sequence waits for, as the tiny GPU's rows define it. The others of a
// parallel group issue behind its first.
Reads reads_of(const std::string& operation, std::uint32_t number) {
  if (number == 0)
    return Reads::operands;
  const bool is_second_group = operation == "mul.s32" || operation == "div.f32";
  return is_second_group && number == 1 ? Reads::step_before : Reads::nothing;
}

// Runs tasks by name. A value nobody wrote is unknown (nullopt), and so is what is made of it.
class NamedExecution {
public:
  NamedExecution(const tasklist::Tasklist& list, const std::vector<std::uint32_t>& operations)
      : list_(list), operations_(operations), producers_(list.value_classes.size()),
        times_(list.tasks.size()) {}

  void visit(const tasklist::Block& block) {
    for (std::uint32_t t = block.first_task; t < block.first_task + block.task_count; ++t)
      run(times_[t]++, t);
  }

  // What each operation waited for; nullopt where it read an unknown value.
  const std::map<Instance, std::optional<Instances>>& waits() const { return waits_; }

private:
  std::optional<Instances> producers_of(std::span<const tasklist::ValueId> values) const {
    Instances all;
    for (const tasklist::ValueId v : values) {
      if (!producers_[v])
        return std::nullopt;
      all.insert(producers_[v]->begin(), producers_[v]->end());
    }
    return all;
  }

  void run(std::uint32_t time, std::uint32_t index) {
    const tasklist::Task& task = list_.tasks[index];
    const std::optional<Instances> operands = producers_of(list_.uses(task));
    const std::optional<Instances> old = producers_of(list_.definitions(task));
    const std::string& operation = list_.operations[task.operation];
    for (std::uint32_t n = 0; n < operations_[index]; ++n) {
      std::optional<Instances> waits;
      switch (reads_of(operation, n)) {
      case Reads::operands:
        waits = task.predicated ? both(operands, old) : operands;
        break;
      case Reads::step_before:
        waits = Instances{{time, index, 0}};
        break;
      case Reads::nothing:
        waits = Instances{};
      }
      waits_[{time, index, n}] = waits;
    }
    for (const tasklist::ValueId d : list_.definitions(task))
      producers_[d] = operations_[index] == 0 ? operands : Instances{{time, index, operations_[index] - 1}};
  }

  static std::optional<Instances> both(const std::optional<Instances>& a, const std::optional<Instances>& b) {
    if (!a || !b)
      return std::nullopt;
    Instances all = *a;
    all.insert(b->begin(), b->end());
    return all;
  }

  const tasklist::Tasklist& list_;
  const std::vector<std::uint32_t>& operations_;
  std::vector<std::optional<Instances>> producers_;
  std::vector<std::uint32_t> times_; // by task: that it ran
  std::map<Instance, std::optional<Instances>> waits_;
};

// Runs operations by slot.
class SlotExecution {
public:
  SlotExecution(const MachineProgram& program, const std::vector<std::uint32_t>& operations)
      : program_(program), operations_(operations), writers_(program.slot_count), ran_(operations.size()) {}

  void visit(const MachineBlock& block) {
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
      const MachineOp& op = program_.ops[i];
      const std::uint32_t ran = ran_[op.task]++;
      const Instance instance{ran / operations_[op.task], op.task, ran % operations_[op.task]};
      Instances& producers = waits_[instance];
      for (const std::uint16_t slot : program_.sources(op))
        if (writers_[slot])
          producers.insert(*writers_[slot]);
      for (const std::uint16_t slot : program_.destinations(op))
        writers_[slot] = instance;
    }
  }

  const std::map<Instance, Instances>& waits() const { return waits_; }

private:
  const MachineProgram& program_;
  const std::vector<std::uint32_t>& operations_;
  std::vector<std::optional<Instance>> writers_;
  std::vector<std::uint32_t> ran_; // by task: operations
  std::map<Instance, Instances> waits_;
};

void check_random_path(const tasklist::Tasklist& list, const MachineProgram& program, RandomProgram& random) {
  const std::vector<std::uint32_t> operations = operations_per_task(list, program);
  NamedExecution by_name(list, operations);
  SlotExecution by_slot(program, operations);
  bool is_cut = true;
  tasklist::BlockId block = 0;
  for (std::uint32_t visit = 0; visit < 60; ++visit) {
    by_name.visit(list.blocks[block]);
    by_slot.visit(program.blocks[block]);
    const auto& successors = list.blocks[block].successors;
    is_cut = !successors.empty();
    if (!is_cut)
      break;
    block = successors[random.below(static_cast<std::uint32_t>(successors.size()))];
  }
  for (const auto& [instance, waits] : by_name.waits()) {
    RC_ASSERT(by_slot.waits().contains(instance));
    if (waits)
      RC_ASSERT(by_slot.waits().at(instance) == *waits);
  }
  // What is cut may have executed the block behind the last one already.
  RC_ASSERT(is_cut || by_name.waits().size() == by_slot.waits().size());
}

// Small ones, and such that values live in so many blocks that they are followed together.
ProgramShape any_shape() {
  const auto blocks =
      rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(1, 12), rc::gen::inRange<std::uint32_t>(50, 120));
  return {.blocks = *blocks,
          .tasks_per_block = *rc::gen::inRange<std::uint32_t>(1, 16),
          .values = *rc::gen::inRange<std::uint32_t>(1, 20),
          .seed = *rc::gen::arbitrary<std::uint64_t>()};
}

RC_GTEST_PROP(Slots, every_read_finds_the_last_writers_of_what_it_names, ()) {
  RandomProgram random(any_shape());
  tasklist::Tasklist list = random.write();
  list.target = *rc::gen::element<std::string>("", "sm_75"); // with a target, operations are reordered
  const auto program = annotate(list, tiny_gpu());
  RC_ASSERT(program.has_value());
  for (int path = 0; path < 4; ++path)
    check_random_path(list, *program, random);
}

RC_GTEST_PROP(Slots, no_slot_is_left_unused, ()) {
  RandomProgram random(any_shape());
  const auto program = annotate(random.write(), tiny_gpu());
  RC_ASSERT(program.has_value());
  const std::set<std::uint16_t> used(program->slots.begin(), program->slots.end());
  RC_ASSERT(used.size() == program->slot_count);
}

// The program with a first task that writes `values` and a task at every block's end that reads them.
tasklist::Tasklist with_bounds(const tasklist::Tasklist& original,
                               const std::vector<tasklist::ValueId>& values,
                               tasklist::ValueClass value_class) {
  ListWriter w;
  for (tasklist::BlockId b = 0; b < original.blocks.size(); ++b) {
    w.block(original.blocks[b].successors);
    if (b == 0)
      w.add("add.s32", values, {});
    for (const tasklist::Task& task : original.tasks_of(original.blocks[b])) {
      const auto definitions = original.definitions(task);
      const auto uses = original.uses(task);
      w.add(original.operations[task.operation], {definitions.begin(), definitions.end()},
            {uses.begin(), uses.end()}, task.kind)
          .predicated = task.predicated;
    }
    w.add("st.global.f32", {}, values, tasklist::TaskKind::store);
  }
  w.list.value_classes.resize(original.value_classes.size() + 1, value_class);
  std::ranges::copy(original.value_classes, w.list.value_classes.begin());
  w.list.value_classes.back() = value_class;
  return std::move(w.list);
}

// One value more, needed everywhere, costs its width and moves others to the next places of their alignment:
// gaps of up to three registers in front of values of four come or go.
RC_GTEST_PROP(Registers, grow_by_the_width_of_a_value_that_is_needed_everywhere_and_its_gap, ()) {
  constexpr std::uint32_t widest_gap = 3;
  const ProgramShape shape = any_shape();
  const tasklist::Tasklist original = RandomProgram(shape).write();
  const auto value_class = static_cast<tasklist::ValueClass>(*rc::gen::inRange(0, 5));
  const std::uint32_t width =
      std::vector<std::uint32_t>{0, 1, 1, 2, 4}[static_cast<std::size_t>(value_class)];
  const auto smaller = annotate(with_bounds(original, {}, value_class), tiny_gpu());
  const auto larger = annotate(with_bounds(original, {shape.values}, value_class), tiny_gpu());
  RC_ASSERT(smaller.has_value() && larger.has_value());
  RC_ASSERT(larger->registers_estimated + widest_gap >= smaller->registers_estimated);
  RC_ASSERT(larger->registers_estimated <= smaller->registers_estimated + width + widest_gap);
}

} // namespace
} // namespace kerncast::machine::testing
