// State spaces of tasks as the memory model knows them.
#pragma once

#include "memory_model/request.h"
#include "tasklist/tasklist.h"

namespace kerncast::engine {

memory_model::MemorySpace memory_space(tasklist::Space space);

} // namespace kerncast::engine
