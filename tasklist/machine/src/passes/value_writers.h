// How often the text writes each value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tasklist/tasklist.h"

namespace kerncast::machine {

// One more; two stand for two and more.
inline void count_one(std::uint8_t& count) { count = static_cast<std::uint8_t>(std::min(count + 1, 2)); }

// By value: how many tasks write it, as count_one() counts.
inline std::vector<std::uint8_t> writers_of_values(const tasklist::Tasklist& list) {
  std::vector<std::uint8_t> writers(list.value_classes.size(), 0);
  for (const tasklist::Task& task : list.tasks)
    for (const tasklist::ValueId v : list.definitions(task))
      count_one(writers[v]);
  return writers;
}

} // namespace kerncast::machine
