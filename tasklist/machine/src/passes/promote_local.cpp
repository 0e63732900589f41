// Promotion of small indexable local arrays to registers: ptxas 13.0 gives an array no stack if it is small
// and no loop accesses it. An access at a computed place then is one comparison and one conditional move per
// element, an access at a constant place a move. Larger arrays, and those that loops access, stay in local
// memory.
#include <algorithm>

#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;

constexpr std::uint32_t largest_array = 64; // bytes; seen: 36 promoted, 80 not
constexpr std::uint32_t element_bytes = 4;

bool is_local(const Task& task) { return tasklist::is_memory(task.kind) && task.space == Space::local; }

bool can_be_promoted(const tasklist::Tasklist& list) {
  if (list.local_bytes_per_thread == 0 || list.local_bytes_per_thread > largest_array)
    return false;
  for (const tasklist::Loop& loop : list.loops)
    for (const tasklist::BlockId b : loop.blocks)
      if (std::ranges::any_of(list.tasks_of(list.blocks[b]), is_local))
        return false;
  // A generic access may be to the array.
  return std::ranges::none_of(list.tasks, [](const Task& task) {
    return tasklist::is_memory(task.kind) && task.space == Space::generic;
  });
}

} // namespace

void promote_local(Selection& selection, const configs::IsaTable& isa) {
  constexpr std::string_view element = "promoted.element", move = "promoted.move";
  tasklist::Tasklist& list = selection.list;
  if (!isa.has_row(element) || !isa.has_row(move) || !can_be_promoted(list))
    return;
  const std::uint32_t elements = (list.local_bytes_per_thread + element_bytes - 1) / element_bytes;
  for (TaskId id = 0; id < list.tasks.size(); ++id) {
    Task& task = list.tasks[id];
    if (!is_local(task))
      continue;
    // A store reads its data, too.
    const bool is_indexed = task.uses.count > (task.kind == tasklist::TaskKind::store ? 1u : 0u);
    selection.set_operation(task, is_indexed ? element : move);
    selection.repeats[id] = is_indexed ? elements : 1;
    task.kind = tasklist::TaskKind::compute;
    task.space = Space::none;
  }
}

} // namespace kerncast::machine
