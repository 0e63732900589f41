#include "tasklist/verify.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tasklist/dependencies.h"
#include "tasklist/graph.h"
#include "tasklist/operation.h"

namespace kerncast::tasklist {

namespace {

class Verifier {
public:
  explicit Verifier(const Tasklist& list) : list_(list) {}

  Expected<void> run() {
    check_lists();
    for (TaskId id = 0; id < list_.tasks.size(); ++id) {
      check_task(id);
    }
    check_partition();
    if (errors_.empty()) { // the rest indexes with what was just checked
      for (BlockId id = 0; id < list_.blocks.size(); ++id) {
        check_block(id);
      }
      check_derived();
    }
    if (errors_.empty()) {
      return {};
    }
    return tl::unexpected(std::move(errors_));
  }

private:
  void report(std::uint32_t line, std::string message) {
    Diagnostic diagnostic;
    diagnostic.file = list_.source_name;
    diagnostic.place = {line, line == 0 ? 0U : 1U};
    diagnostic.message = "inconsistent tasklist: " + std::move(message);
    errors_.push_back(std::move(diagnostic));
  }
  void task_error(TaskId id, std::string_view what) {
    const Task& task = list_.tasks[id];
    const std::string operation =
        task.operation < list_.operations.size() ? list_.operations[task.operation] : "unknown operation";
    report(task.line, fmt::format("task {} ({}) {}", id, operation, what));
  }
  void block_error(BlockId id, std::string_view what) {
    report(list_.blocks[id].line, fmt::format("block {} {}", id, what));
  }

  void check_lists() {
    if (list_.blocks.empty()) {
      report(0, "there is no block");
    }
    if (!list_.stated_latency.empty() && list_.stated_latency.size() != list_.tasks.size()) {
      report(0, fmt::format("{} latencies are stated for {} tasks", list_.stated_latency.size(),
                            list_.tasks.size()));
    }
    std::uint64_t end = 0;
    for (const Parameter& parameter : list_.parameters) {
      if (parameter.offset < end) {
        report(0, fmt::format("parameter {} overlaps the one before it", parameter.name));
      }
      end = std::uint64_t{parameter.offset} + parameter.bytes;
    }
  }

  static bool fits(Range range, std::size_t pool) { return std::uint64_t{range.begin} + range.count <= pool; }

  void check_task(TaskId id) {
    const Task& task = list_.tasks[id];
    if (task.operation >= list_.operations.size()) {
      task_error(id, fmt::format("has operation {} of {}", task.operation, list_.operations.size()));
    }
    if (!fits(task.definitions, list_.values.size()) || !fits(task.uses, list_.values.size()) ||
        !fits(task.constants, list_.constant_pool.size()) ||
        !fits(task.dependencies, list_.dependency_pool.size())) {
      task_error(id, "refers to values or dependencies outside their pool");
      return;
    }
    check_values(id, list_.definitions(task));
    check_values(id, list_.uses(task));
    for (const std::uint32_t constant : list_.constants_of(task)) {
      if (constant >= list_.constants.size()) {
        task_error(id, fmt::format("names constant {} of {}", constant, list_.constants.size()));
      }
    }
    if (is_memory(task.kind) != (task.space != Space::none)) {
      task_error(id, fmt::format("is of kind {} in space {}", name(task.kind), name(task.space)));
    }
    if (task.base != no_id && !is_memory(task.kind)) {
      task_error(id, "has the base of an address and accesses no memory");
    }
    if (task.base == no_id && task.offset != 0) {
      task_error(id, "has an offset from no base");
    }
    if (task.call != no_id && task.call >= list_.calls.size()) {
      task_error(id, fmt::format("is of call {} of {}", task.call, list_.calls.size()));
    }
    if (!list_.stated_latency.empty() && id < list_.stated_latency.size() &&
        !(std::isfinite(list_.stated_latency[id]) && list_.stated_latency[id] >= 0)) {
      task_error(id, fmt::format("states a latency of {}", list_.stated_latency[id]));
    }
  }

  void check_values(TaskId id, std::span<const ValueId> values) {
    for (const ValueId value : values) {
      if (value >= list_.value_classes.size()) {
        task_error(id, fmt::format("names value %{} of {}", value, list_.value_classes.size()));
      }
    }
  }

  void check_partition() {
    std::uint64_t next_task = 0, next_instruction = 0;
    for (BlockId id = 0; id < list_.blocks.size(); ++id) {
      const Block& block = list_.blocks[id];
      if (block.first_task != next_task) {
        block_error(id, fmt::format("starts at task {}, not at {}", block.first_task, next_task));
      }
      if (block.instruction_count != 0 && block.first_instruction != next_instruction) {
        block_error(id, fmt::format("starts at instruction {}, not at {}", block.first_instruction,
                                    next_instruction));
      }
      next_task = std::uint64_t{block.first_task} + block.task_count;
      next_instruction += block.instruction_count;
      for (const BlockId successor : block.successors) {
        if (successor >= list_.blocks.size()) {
          block_error(id, fmt::format("has successor {} of {}", successor, list_.blocks.size()));
        }
      }
    }
    if (next_task != list_.tasks.size()) {
      report(0, fmt::format("the blocks hold {} tasks of {}", next_task, list_.tasks.size()));
    }
  }

  void check_block(BlockId id) {
    const Block& block = list_.blocks[id];
    std::uint32_t accesses = 0;
    std::uint64_t instruction = block.first_instruction;
    for (TaskId t = block.first_task; t < block.first_task + block.task_count; ++t) {
      const Task& task = list_.tasks[t];
      const std::uint32_t expected = is_memory(task.kind) ? accesses++ : UINT16_MAX;
      if (task.access != expected) {
        task_error(t, fmt::format("has access number {}, not {}", task.access, expected));
      }
      if (task.instruction != no_id) {
        if (task.instruction < instruction ||
            task.instruction >= std::uint64_t{block.first_instruction} + block.instruction_count) {
          task_error(t, fmt::format("comes from instruction {}, out of block {} or out of order",
                                    task.instruction, id));
        }
        instruction = std::uint64_t{task.instruction} + 1;
      }
      const bool last = t + 1 == block.first_task + block.task_count;
      if (!last && transfers(task) && list_.blocks.size() > 1) {
        task_error(t, fmt::format("transfers control inside block {}", id));
      }
    }
    check_end(id);
  }

  static bool transfers(const Task& task) {
    return task.kind == TaskKind::branch || task.kind == TaskKind::exit;
  }

  // Control leaves a block as its last task says; single-block lists (the papers' form) need no target.
  void check_end(BlockId id) {
    const Block& block = list_.blocks[id];
    const std::size_t targets = block.successors.size();
    const Task* last =
        block.task_count == 0 ? nullptr : &list_.tasks[block.first_task + block.task_count - 1];
    if (last == nullptr || !transfers(*last)) {
      if (targets > 1) {
        block_error(id, "has several successors but no branch");
      }
    } else if (last->kind == TaskKind::exit) {
      if (targets > (last->predicated ? 1U : 0U)) {
        block_error(id, "goes on after its exit");
      }
    } else if (targets == 0 && list_.blocks.size() > 1) {
      block_error(id, "ends in a branch without target");
    }
  }

  void check_derived() {
    Tasklist derived = list_;
    compute_dependencies(derived);
    for (TaskId id = 0; id < list_.tasks.size(); ++id) {
      const auto stored = list_.dependencies(list_.tasks[id]);
      const auto expected = derived.dependencies(derived.tasks[id]);
      if (!std::equal(stored.begin(), stored.end(), expected.begin(), expected.end())) {
        task_error(id, fmt::format("depends on tasks [{}], its values say [{}]", fmt::join(stored, ", "),
                                   fmt::join(expected, ", ")));
      }
    }
    if (find_loops(list_.blocks) != list_.loops) {
      report(0, "the loops are not those of the blocks' successors");
    }
  }

  const Tasklist& list_;
  Diagnostics errors_;
};

} // namespace

Expected<void> verify(const Tasklist& list) { return Verifier(list).run(); }

} // namespace kerncast::tasklist
