// What of a launch can be in a race between loads and stores of its CTAs.
#pragma once

#include <vector>

#include "tasklist/launch.h"
#include "warp/memory_use.h"
#include "warp/program.h"

namespace kerncast::functional {

// Whether CTAs may come to know in global memory that others are done: by atomics that return a value, by
// volatile, relaxed, acquire and release accesses. Fences are not looked at.
bool may_order_ctas(const warp::Program& program);

// Whether what a CTA does may depend on how far others are: it waits for them, or counts its polls, with
// loads that are volatile, relaxed or acquire. Atomics are not looked at.
bool may_see_progress(const warp::Program& program);

// By buffer: whether the launch may store there.
std::vector<bool> stored_buffers(const warp::MemoryUse& use, const tasklist::Launch& launch,
                                 std::size_t buffers);

} // namespace kerncast::functional
