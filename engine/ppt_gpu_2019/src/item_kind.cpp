#include "item_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tasklist/operation.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;

// Approximations of transcendental functions (PTX ISA, 9.7.3); in annotated lists the class itself.
constexpr std::array<std::string_view, 9> special_functions = {"sin",  "cos",   "lg2",  "ex2", "rcp",
                                                               "sqrt", "rsqrt", "tanh", "SFU"};
constexpr std::array<std::string_view, 8> floats = {"f32",    "f16",  "f16x2", "bf16",
                                                    "bf16x2", "tf32", "f32x2", "fALU"};

template <std::size_t n> bool contains(const std::array<std::string_view, n>& table, std::string_view word) {
  return std::ranges::find(table, word) != table.end();
}

ItemKind arithmetic_kind(std::string_view operation) {
  bool is_double = false;
  bool is_float = false;
  tasklist::for_each_part(operation, [&](std::string_view part) {
    is_double = is_double || part == "f64" || part == "dALU";
    is_float = is_float || contains(floats, part);
  });
  if (is_double)
    return ItemKind::dalu;
  if (contains(special_functions, operation.substr(0, operation.find('.'))))
    return ItemKind::sfu;
  return is_float ? ItemKind::falu : ItemKind::ialu;
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
  return task.kind == TaskKind::compute ? arithmetic_kind(list.operations[task.operation]) : ItemKind::ialu;
}

bool is_expressible(const Task& task) {
  if (tasklist::is_memory(task.kind))
    return task.space != Space::generic;
  return task.kind != TaskKind::branch && task.kind != TaskKind::fence && task.kind != TaskKind::warp_sync;
}

} // namespace kerncast::ppt_gpu_2019
