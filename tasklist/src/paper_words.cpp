#include "paper_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "tasklist/operation.h"

namespace kerncast::tasklist {

namespace {

struct Word {
  std::string_view word;
  TaskKind kind;
  std::string_view operation;
};
constexpr Word alone[] = {
    {"iALU", TaskKind::compute, "iALU"},
    {"fALU", TaskKind::compute, "fALU"},
    {"dALU", TaskKind::compute, "dALU"},
    {"SFU", TaskKind::compute, "SFU"},
    {"THREAD_SYNC", TaskKind::barrier, "bar.sync"},
    {"FENCE", TaskKind::fence, "membar.gl"},
    {"WARP_SYNC", TaskKind::warp_sync, "bar.warp.sync"},
    {"BRANCH", TaskKind::branch, "bra"},
    {"EXIT", TaskKind::exit, "exit"},
};

struct MemoryWord {
  std::string_view word;
  Space space;
};
constexpr MemoryWord memories[] = {
    {"GLOB_MEM_ACCESS", Space::global},     {"SHARED_MEM_ACCESS", Space::shared},
    {"LOCAL_MEM_ACCESS", Space::local},     {"CONST_MEM_ACCESS", Space::constant},
    {"TEX_MEM_ACCESS", Space::texture},     {"PARAM_MEM_ACCESS", Space::param},
    {"GENERIC_MEM_ACCESS", Space::generic},
};

struct AccessWord {
  std::string_view word;
  TaskKind kind;
};
constexpr AccessWord access_words[] = {{"LOAD", TaskKind::load},
                                       {"STORE", TaskKind::store},
                                       {"ATOMIC", TaskKind::atomic},
                                       {"REDUCTION", TaskKind::reduction}};

// In the order of ComputeClass.
constexpr std::string_view class_words[] = {"iALU", "fALU", "dALU", "SFU"};

} // namespace

bool has_latency(std::string_view first_word) {
  const auto row =
      std::find_if(std::begin(alone), std::end(alone), [&](const Word& w) { return w.word == first_word; });
  return row != std::end(alone) && row->kind == TaskKind::compute;
}

std::string paper_words(const Task& task, std::string_view operation) {
  if (task.kind == TaskKind::compute) {
    return std::string(class_words[static_cast<std::size_t>(compute_class(operation))]);
  }
  if (!is_memory(task.kind)) {
    return std::string(std::find_if(std::begin(alone), std::end(alone), [&](const Word& w) {
                         return w.kind == task.kind;
                       })->word);
  }
  const auto memory = std::find_if(std::begin(memories), std::end(memories),
                                   [&](const MemoryWord& w) { return w.space == task.space; });
  const auto access = std::find_if(std::begin(access_words), std::end(access_words),
                                   [&](const AccessWord& w) { return w.kind == task.kind; });
  return fmt::format("{}, {}", memory->word, access->word);
}

bool is_memory_word(std::string_view first) {
  return std::any_of(std::begin(memories), std::end(memories),
                     [&](const MemoryWord& w) { return w.word == first; });
}

std::optional<PaperTask> find_paper_task(std::string_view first, std::string_view second) {
  for (const Word& word : alone) {
    if (word.word == first && second.empty()) {
      return PaperTask{word.kind, Space::none, word.operation};
    }
  }
  for (const MemoryWord& memory : memories) {
    for (const AccessWord& access : access_words) {
      if (memory.word == first && access.word == second) {
        return PaperTask{access.kind, memory.space, {}};
      }
    }
  }
  return std::nullopt;
}

} // namespace kerncast::tasklist
