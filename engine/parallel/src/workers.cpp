// Never compiled for the thread sanitizer (see CMakeLists.txt): Debian's TBB is not, so the sanitizer would
// report every task that TBB hands from thread to thread as a race. hand_over() tells it what TBB ensures.
#include "workers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "hand_over.h"
#include "parallel/team.h"

namespace kerncast::parallel {

std::size_t worker_count(std::size_t threads) {
  constexpr std::size_t most = 4096;
  return threads == 0 ? static_cast<std::size_t>(tbb::info::default_concurrency()) : std::min(threads, most);
}

namespace {

// Whether this thread runs a task of workers of an arena: an arena that TBB makes by itself has as many as
// the machine has cores.
thread_local bool is_worker = false;

class AsWorker {
public:
  AsWorker() : before_(std::exchange(is_worker, true)) { hand_over(); }
  ~AsWorker() {
    hand_over();
    is_worker = before_;
  }
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

private:
  bool before_;
};

// A loop within a task has a context of its own: when another task fails, it goes on to its end.
void run_here(std::size_t count, const std::function<void(std::size_t)>& task) {
  tbb::task_group_context context(tbb::task_group_context::isolated);
  tbb::parallel_for(
      std::size_t{0}, count,
      [&](std::size_t i) {
        const AsWorker worker;
        task(i);
      },
      tbb::simple_partitioner(), context);
}

void run_in(tbb::task_arena& arena, std::size_t count, const std::function<void(std::size_t)>& task) {
  hand_over();
  arena.execute([&] { run_here(count, task); });
  hand_over();
}

} // namespace

// By itself for one worker, also within a worker: leave for one would be taken from all others, too. Without
// leave for more workers than cores TBB warns and has fewer.
struct Team::State {
  explicit State(std::size_t workers) : threads(workers) {
    if (workers == 1)
      return;
    leave.emplace(tbb::global_control::max_allowed_parallelism, workers);
    arena.emplace(static_cast<int>(workers));
  }

  std::size_t threads;
  std::optional<tbb::global_control> leave;
  std::optional<tbb::task_arena> arena;
};

Team::Team(std::size_t threads) : state_(std::make_unique<State>(worker_count(threads))) {}
Team::~Team() = default;

std::size_t Team::threads() const { return state_->threads; }

void Team::for_each(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (state_->arena && count > 1)
    return run_in(*state_->arena, count, task);
  for (std::size_t i = 0; i < count; ++i)
    task(i);
}

void run_on_workers(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task) {
  Team(count <= 1 ? 1 : threads).for_each(count, task);
}

// Isolated: a task of the arena that takes long must not begin within the wait for these.
void run_with_idle_workers(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (!is_worker || count <= 1) {
    for (std::size_t i = 0; i < count; ++i)
      task(i);
    return;
  }
  hand_over();
  tbb::this_task_arena::isolate([&] { run_here(count, task); });
  hand_over();
}

} // namespace kerncast::parallel
