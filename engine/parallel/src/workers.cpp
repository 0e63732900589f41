// Never compiled for the thread sanitizer (see CMakeLists.txt): Debian's TBB is not, so the sanitizer would
// report every task that TBB hands from thread to thread as a race. hand_over() tells it what TBB ensures.
#include "workers.h"

#include <algorithm>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "hand_over.h"

namespace kerncast::parallel {

std::size_t worker_count(std::size_t threads) {
  constexpr std::size_t most = 4096;
  return threads == 0 ? static_cast<std::size_t>(tbb::info::default_concurrency()) : std::min(threads, most);
}

void run_on_workers(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task) {
  const std::size_t workers = worker_count(threads);
  // By itself, also within a worker: leave for one would be taken from all others, too.
  if (workers == 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i)
      task(i);
    return;
  }
  // Without leave for more workers than cores TBB warns and has fewer.
  const tbb::global_control leave(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  hand_over();
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, count,
        [&](std::size_t i) {
          hand_over();
          task(i);
          hand_over();
        },
        tbb::simple_partitioner());
  });
  hand_over();
}

} // namespace kerncast::parallel
