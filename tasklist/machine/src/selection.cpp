#include "selection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "isa_rows.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

template <class T> tasklist::Range append(std::vector<T>& pool, std::span<const T> elements) {
  const tasklist::Range range{static_cast<std::uint32_t>(pool.size()),
                              static_cast<std::uint32_t>(elements.size())};
  pool.insert(pool.end(), elements.begin(), elements.end());
  return range;
}

} // namespace

bool Selection::names_address(const tasklist::Task& task) const {
  const auto is_number = [&](std::uint32_t c) {
    const std::string& constant = list.constants[c];
    return !constant.empty() &&
           (constant.front() == '-' || (constant.front() >= '0' && constant.front() <= '9'));
  };
  return !std::ranges::all_of(list.constants_of(task), is_number);
}

bool Selection::adds_variable(const tasklist::Task& task) const {
  return task.constants.count == 1 && names_address(task) &&
         !list.constants[list.constants_of(task).front()].starts_with("c[");
}

void Selection::set_operation(tasklist::Task& task, std::string_view operation) {
  auto found = std::ranges::find(list.operations, operation);
  if (found == list.operations.end()) {
    found = list.operations.emplace(list.operations.end(), operation);
    look_up(operation);
  }
  task.operation = static_cast<std::uint32_t>(found - list.operations.begin());
}

void Selection::look_up(std::string_view operation) {
  rows.push_back(row_of(isa, operation));
  thread_local tasklist::TextMemo<tasklist::OperationTraits> memo;
  traits.push_back(memo.of(operation, tasklist::traits_of));
}

void Selection::set_uses(tasklist::Task& task, std::span<const tasklist::ValueId> uses) {
  task.uses = append(list.values, uses);
}

void Selection::set_definitions(tasklist::Task& task, std::span<const tasklist::ValueId> definitions) {
  task.definitions = append(list.values, definitions);
}

void Selection::set_constants(tasklist::Task& task, std::span<const std::uint32_t> constants) {
  task.constants = append(list.constant_pool, constants);
}

void Selection::move_behind(tasklist::TaskId task, tasklist::BlockId block) {
  moved[task] = true;
  appended[block].push_back(task);
}

std::vector<JoinedBlock> Selection::joined_blocks() const {
  std::vector<JoinedBlock> joined;
  for (tasklist::BlockId b = 0; b < head.size(); ++b)
    if (head[b] != b)
      joined.push_back({b, head[b], 0, tasklist::accesses_of(list, b)});
  std::ranges::stable_sort(joined, {}, &JoinedBlock::head);
  std::vector<JoinedBlock> with_accesses;
  for (auto first = joined.begin(); first != joined.end();) {
    const auto end =
        std::find_if(first, joined.end(), [&](const JoinedBlock& j) { return j.head != first->head; });
    std::uint32_t before = tasklist::accesses_of(list, first->head);
    const std::uint32_t own = before;
    for (auto one = first; one != end; before += one++->accesses)
      one->accesses_before = before;
    if (before != own)
      with_accesses.insert(with_accesses.end(), first, end);
    first = end;
  }
  return with_accesses;
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

std::uint32_t elements_of(std::string_view operation) {
  std::uint32_t elements = 1;
  tasklist::for_each_part(operation, [&](std::string_view part) {
    if (part.size() == 2 && part.front() == 'v')
      elements = static_cast<std::uint32_t>(part.back() - '0');
  });
  return elements;
}

Selection start_selection(const tasklist::Tasklist& list, std::shared_ptr<const configs::IsaTable> isa) {
  Selection selection;
  selection.list = list;
  selection.isa = std::move(isa);
  selection.rows.reserve(list.operations.size());
  selection.traits.reserve(list.operations.size());
  for (const std::string& operation : list.operations)
    selection.look_up(operation);
  selection.absorbed.assign(list.tasks.size(), false);
  selection.moved.assign(list.tasks.size(), false);
  selection.writes_anew.assign(list.tasks.size(), false);
  selection.one_lane.assign(list.tasks.size(), false);
  selection.appended.resize(list.blocks.size());
  selection.head.resize(list.blocks.size());
  std::iota(selection.head.begin(), selection.head.end(), 0);
  selection.code_copies.assign(list.tasks.size(), 1);
  selection.loaded_ahead.assign(list.tasks.size(), 0);
  return selection;
}

} // namespace kerncast::machine
