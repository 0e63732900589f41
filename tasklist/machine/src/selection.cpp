#include "selection.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

template <class T> tasklist::Range append(std::vector<T>& pool, std::span<const T> elements) {
  const tasklist::Range range{static_cast<std::uint32_t>(pool.size()),
                              static_cast<std::uint32_t>(elements.size())};
  pool.insert(pool.end(), elements.begin(), elements.end());
  return range;
}

} // namespace

void Selection::set_operation(tasklist::Task& task, std::string_view operation) {
  auto found = std::ranges::find(list.operations, operation);
  if (found == list.operations.end()) {
    found = list.operations.emplace(list.operations.end(), operation);
    look_up(operation);
  }
  task.operation = static_cast<std::uint32_t>(found - list.operations.begin());
}

void Selection::look_up(std::string_view operation) {
  rows.push_back(isa != nullptr ? isa->find(operation) : nullptr);
  traits.push_back(tasklist::traits_of(operation));
}

void Selection::set_uses(tasklist::Task& task, std::span<const tasklist::ValueId> uses) {
  task.uses = append(list.values, uses);
}

void Selection::set_constants(tasklist::Task& task, std::span<const std::uint32_t> constants) {
  task.constants = append(list.constant_pool, constants);
}

void Selection::move_behind(tasklist::TaskId task, tasklist::BlockId block) {
  moved[task] = true;
  appended[block].push_back(task);
}

std::vector<JoinedBlock> Selection::joined_blocks() const {
  const auto has_begun = [this](tasklist::TaskId task, tasklist::BlockId b) {
    return list.blocks[b].first_task <= task;
  };
  std::vector<JoinedBlock> joined;
  for (tasklist::BlockId head = 0; head < appended.size(); ++head) {
    std::vector<JoinedBlock> of_head;
    std::uint32_t before = tasklist::accesses_of(list, head);
    bool has_accesses = false;
    tasklist::BlockId b = head;
    for (const tasklist::TaskId task : appended[head]) {
      const tasklist::BlockId last = b;
      while (b + 1 < list.blocks.size() && has_begun(task, b + 1))
        ++b;
      if (b == last)
        continue;
      of_head.push_back({b, head, before, tasklist::accesses_of(list, b)});
      before += of_head.back().accesses;
      has_accesses |= of_head.back().accesses > 0;
    }
    if (has_accesses)
      joined.insert(joined.end(), of_head.begin(), of_head.end());
  }
  return joined;
}

void Selection::add_group_blocks() {
  for (const TripsTogether& together : trips_together) {
    const auto group = static_cast<tasklist::BlockId>(list.blocks.size());
    for (tasklist::Block& block : list.blocks)
      if (std::ranges::find(block.successors, together.block) != block.successors.end())
        block.successors.push_back(group);
    tasklist::Block block;
    block.successors = list.blocks[together.block].successors;
    list.blocks.push_back(std::move(block));
    for (tasklist::Loop& loop : list.loops)
      if (std::ranges::binary_search(loop.blocks, together.block))
        loop.blocks.push_back(group);
  }
}

Selection start_selection(const tasklist::Tasklist& list, const configs::IsaTable* isa) {
  Selection selection;
  selection.list = list;
  selection.isa = isa;
  selection.rows.reserve(list.operations.size());
  selection.traits.reserve(list.operations.size());
  for (const std::string& operation : list.operations)
    selection.look_up(operation);
  selection.absorbed.assign(list.tasks.size(), false);
  selection.moved.assign(list.tasks.size(), false);
  selection.writes_anew.assign(list.tasks.size(), false);
  selection.one_lane.assign(list.tasks.size(), false);
  selection.appended.resize(list.blocks.size());
  selection.code_copies.assign(list.tasks.size(), 1);
  selection.loaded_ahead.assign(list.tasks.size(), 0);
  return selection;
}

} // namespace kerncast::machine
