#include "tasklist/builder.h"

#include "tasklist/control_flow.h"
#include "tasklist/dependencies.h"
#include "tasklist/operation.h"

namespace kerncast::tasklist {

std::uint32_t Builder::operation(std::string_view text) {
  return operations_.find_or_add(text, list.operations);
}

std::uint32_t Builder::constant(std::string_view text) {
  return constants_.find_or_add(text, list.constants);
}

Task& Builder::add(Task task, std::span<const ValueId> definitions, std::span<const ValueId> uses,
                   std::span<const std::uint32_t> constants) {
  if (list.blocks.empty()) {
    list.blocks.emplace_back();
  }
  if (block_count_ != list.blocks.size()) {
    block_count_ = list.blocks.size();
    accesses_ = 0;
    list.blocks.back().first_task = static_cast<std::uint32_t>(list.tasks.size());
  }
  const auto append = [](std::vector<std::uint32_t>& pool, std::span<const std::uint32_t> ids) {
    const Range range{static_cast<std::uint32_t>(pool.size()), static_cast<std::uint32_t>(ids.size())};
    for (const std::uint32_t id : ids) // few: cheaper than moving a range
      pool.push_back(id);
    return range;
  };
  task.definitions = append(list.values, definitions);
  task.uses = append(list.values, uses);
  task.constants = append(list.constant_pool, constants);
  task.access = is_memory(task.kind) ? static_cast<std::uint16_t>(accesses_++) : UINT16_MAX;
  ++list.blocks.back().task_count;
  return list.tasks.emplace_back(task);
}

void Builder::place_blocks() {
  std::uint32_t first = 0;
  for (Block& block : list.blocks) {
    block.first_task = first;
    first += block.task_count;
  }
}

Tasklist Builder::finish() && {
  if (list.blocks.empty()) {
    list.blocks.emplace_back();
  }
  place_blocks();
  const ControlFlow flow(list.blocks);
  list.loops = find_loops(flow);
  compute_dependencies(list, flow);
  return std::move(list);
}

} // namespace kerncast::tasklist
