// Which of the tool's classes a task belongs to.
#pragma once

#include <optional>

#include "ppt_gpu_2019/input.h"
#include "tasklist/tasklist.h"

namespace kerncast::ppt_gpu_2019 {

// Empty for tasks that need no item (the end of the kernel).
std::optional<ItemKind> item_kind(const tasklist::Tasklist& list, const tasklist::Task& task);

// Arithmetic, which states a latency; for accesses and barriers the tool has its own.
inline bool has_latency(ItemKind kind) { return kind <= ItemKind::sfu; }

// Whether the tool has a class for the task, or item_kind() only picked the nearest.
bool is_expressible(const tasklist::Task& task);

} // namespace kerncast::ppt_gpu_2019
