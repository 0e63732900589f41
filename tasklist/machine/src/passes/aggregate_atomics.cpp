// Read-modify-write of integers of 32 bits by all lanes at one address: ptxas 13.0 lets one lane do it with
// the sum (minimum, ...) of all (found by compiling such operations on an address out of the parameters and
// on one that depends on the lane, sm_75 to sm_90). Of those that return the old value only additions, for
// which the other lanes can compute theirs.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "divergence.h"
#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::string_view integer_types[] = {"s32", "u32", "b32"};

// Not bulk reductions, which one thread starts for many elements, nor those that signal an mbarrier.
bool is_of_one_element(std::string_view operation) {
  return operation.starts_with("atom.") ||
         (operation.starts_with("red.") && !operation.starts_with("red.async."));
}

class Aggregator {
public:
  Aggregator(Selection& selection, const configs::IsaTable& isa)
      : selection_(selection), list_(selection.list), isa_(isa) {}

  void run() {
    for (const tasklist::Block& block : list_.blocks) {
      bool has_leader = false;
      for (std::uint32_t i = 0; i < block.task_count; ++i) {
        const TaskId id = block.first_task + i;
        const TaskKind kind = list_.tasks[id].kind;
        if (kind == TaskKind::atomic || kind == TaskKind::reduction)
          aggregate(id, has_leader);
      }
    }
  }

private:
  void aggregate(TaskId id, bool& has_leader) {
    Task& task = list_.tasks[id];
    const auto [action, type] = action_and_type(task);
    if (!is_of_one_element(selection_.operation(task)) ||
        std::ranges::find(integer_types, type) == std::end(integer_types) || task.predicated)
      return;
    if (divergent_.empty())
      divergent_ = find_divergent_values(selection_);
    if (!has_one_address(task))
      return;
    const bool is_alike = std::ranges::none_of(list_.uses(task), [&](ValueId v) { return divergent_[v]; });
    const std::string name = fmt::format("aggregated.{}{}.{}", is_alike && action == "add" ? "constant." : "",
                                         task.kind == TaskKind::atomic ? "atom" : "red", action);
    if (!isa_.has_row(name))
      return;
    selection_.one_lane[id] = true;
    // Of a sum of equal numbers only the count of lanes is needed, which further ones share.
    if (!is_alike || !has_leader)
      selection_.set_operation(task, name);
    has_leader |= is_alike;
  }

  // "add" and "u32" of "atom.global.add.u32".
  std::pair<std::string_view, std::string_view> action_and_type(const Task& task) const {
    std::string_view action, type;
    tasklist::for_each_part(selection_.operation(task), [&](std::string_view part) {
      action = type;
      type = part;
    });
    return {action, type};
  }

  bool has_one_address(const Task& task) const {
    const auto uses = list_.uses(task);
    const auto is_part_of_address = [&](ValueId v) {
      return task.space == Space::shared ? v == uses.front() && !selection_.names_address(task)
                                         : list_.value_classes[v] == tasklist::ValueClass::b64;
    };
    return std::ranges::none_of(uses, [&](ValueId v) { return is_part_of_address(v) && divergent_[v]; });
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  const configs::IsaTable& isa_;
  std::vector<bool> divergent_; // by value; empty before the first operation that needs it
};

} // namespace

void aggregate_atomics(Selection& selection, const configs::IsaTable& isa) {
  Aggregator(selection, isa).run();
}

} // namespace kerncast::machine
