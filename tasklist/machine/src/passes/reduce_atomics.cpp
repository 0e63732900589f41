// Atomic operations whose old value nobody reads become reductions: RED instead of ATOM (seen in every kernel
// of that kind, ptxas 13.0). Exchanges and compare-and-swaps have no such form.
#include <algorithm>

#include <fmt/format.h>

#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::Task;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::string_view opcode = "atom";

bool has_reduction(std::string_view operation) {
  return operation.starts_with("atom.") && operation.find(".exch.") == operation.npos &&
         operation.find(".cas.") == operation.npos;
}

} // namespace

void reduce_atomics(Selection& selection) {
  tasklist::Tasklist& list = selection.list;
  const auto is_atomic = [](const Task& task) { return task.kind == TaskKind::atomic; };
  if (std::ranges::none_of(list.tasks, is_atomic))
    return;
  std::vector<bool> is_read(list.value_classes.size(), false);
  for (const Task& task : list.tasks)
    for (const ValueId v : list.uses(task))
      is_read[v] = true;
  for (Task& task : list.tasks) {
    const auto results = list.definitions(task);
    if (!is_atomic(task) || !has_reduction(selection.operation(task)) ||
        std::ranges::any_of(results, [&](ValueId v) { return is_read[v]; }))
      continue;
    selection.set_operation(task, fmt::format("red{}", selection.operation(task).substr(opcode.size())));
    task.kind = TaskKind::reduction;
    task.definitions.count = 0;
  }
}

} // namespace kerncast::machine
