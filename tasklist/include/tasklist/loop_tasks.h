// The tasks of a loop, with those of the loops in it.
#pragma once

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

template <class Visit> void for_each_task(const Tasklist& list, const Loop& loop, const Visit& visit) {
  for (const BlockId b : loop.blocks)
    for (const Task& task : list.tasks_of(list.blocks[b]))
      visit(task);
}

} // namespace kerncast::tasklist
