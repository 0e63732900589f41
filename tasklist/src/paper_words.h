// The words of the papers' form and what they stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

struct PaperTask {
  TaskKind kind = TaskKind::compute;
  Space space = Space::none;
  std::string_view operation; // for tasks read from the papers' form
};

bool has_latency(std::string_view first_word); // computing classes state one in the annotated form

// "iALU", "GLOB_MEM_ACCESS, LOAD", "THREAD_SYNC", ...
std::string paper_words(const Task& task, std::string_view operation);

// Inverse; `second` is empty for words that stand alone. Empty for unknown words.
std::optional<PaperTask> find_paper_task(std::string_view first, std::string_view second);
bool is_memory_word(std::string_view first);

} // namespace kerncast::tasklist
