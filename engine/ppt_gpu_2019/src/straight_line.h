// The way of the most common kind of warp through the blocks, written out.
#pragma once

#include <vector>

#include "support/diagnostics.h"
#include "tasklist/behaviour.h"
#include "tasklist/tasklist.h"

namespace kerncast::ppt_gpu_2019 {

// Blocks in the order of execution. Fails if they hold more than max_items tasks.
Expected<std::vector<tasklist::BlockId>> straight_line(const tasklist::Tasklist& list,
                                                       const tasklist::LaunchBehaviour& behaviour);

// Whether warps take more than one way.
bool warps_differ(const tasklist::LaunchBehaviour& behaviour);

} // namespace kerncast::ppt_gpu_2019
