#include "item_kind.h"

#include <string_view>

#include "tasklist/operation.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;

// In the order of tasklist::ComputeClass.
constexpr ItemKind compute_kinds[] = {ItemKind::ialu, ItemKind::falu, ItemKind::dalu, ItemKind::sfu};

ItemKind compute_kind(std::string_view operation) {
  return compute_kinds[static_cast<std::size_t>(tasklist::compute_class(operation))];
}

ItemKind access_kind(const Task& task) {
  switch (task.space) {
  case Space::shared:
    return ItemKind::shared;
  case Space::local:
    return ItemKind::local;
  case Space::constant:
    return ItemKind::constant;
  case Space::param:
    return ItemKind::param;
  case Space::texture:
    return ItemKind::texture;
  default: // global and generic
    return task.kind == TaskKind::load || task.kind == TaskKind::store ? ItemKind::global
                                                                       : ItemKind::global_other;
  }
}

} // namespace

std::optional<ItemKind> item_kind(const tasklist::Tasklist& list, const Task& task) {
  if (task.kind == TaskKind::exit)
    return std::nullopt;
  if (task.kind == TaskKind::barrier)
    return ItemKind::thread_sync;
  if (tasklist::is_memory(task.kind))
    return access_kind(task);
  return task.kind == TaskKind::compute ? compute_kind(list.operations[task.operation]) : ItemKind::ialu;
}

bool is_expressible(const Task& task) {
  if (tasklist::is_memory(task.kind))
    return task.space != Space::generic;
  return task.kind != TaskKind::branch && task.kind != TaskKind::fence && task.kind != TaskKind::warp_sync;
}

} // namespace kerncast::ppt_gpu_2019
