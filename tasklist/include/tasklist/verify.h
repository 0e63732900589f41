// Checks that a tasklist is consistent in itself.
#pragma once

#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

// Every violation found, each naming task and line: pool ranges, indices, blocks that partition the tasks,
// control transfers at block ends, memory ordinals, dependencies and loops that follow from the rest.
Expected<void> verify(const Tasklist& list);

} // namespace kerncast::tasklist
