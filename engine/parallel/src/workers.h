// The one place that knows TBB.
#pragma once

#include <cstddef>
#include <functional>

namespace kerncast::parallel {

std::size_t worker_count(std::size_t threads); // 0: as many as the machine has

// Calls task(i) for i in [0, count) on `threads` workers; an exception of a task is thrown on.
void run_on_workers(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task);

// Within a task of run_on_workers, where there are several: they help as they become idle.
void run_with_idle_workers(std::size_t count, const std::function<void(std::size_t)>& task);

} // namespace kerncast::parallel
