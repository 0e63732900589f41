// SM workloads on the threads of one process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/simulate_sm.h"
#include "engine/sm_workload.h"

namespace kerncast::parallel {

// Workloads without repetition, the longest first: what has to be simulated, and which workload each is.
struct WorkList {
  std::vector<const engine::SmWorkload*> distinct; // longest expected first
  std::vector<std::size_t> index_of;               // per input workload: its place in `distinct`
};
WorkList make_work_list(std::span<const engine::SmWorkload* const> workloads);

// Gives the number of the next workload to simulate, nothing when all are given out. Called by all threads.
using WorkSource = std::function<std::optional<std::size_t>()>;

struct Completed {
  std::size_t index = 0; // in WorkList::distinct
  engine::SmResult result;
};

// Simulates what `source` gives out, on `threads` threads (0: as many as the machine has). The order of the
// results is not defined; each result depends on its workload alone.
std::vector<Completed> drain(const WorkList& list, const WorkSource& source, std::size_t threads,
                             const engine::SimulateSm& simulate = engine::simulate_sm);

// The results of all workloads that the list was made from, in their order; `done` has every distinct one.
std::vector<engine::SmResult> in_input_order(const WorkList& list, const std::vector<Completed>& done);

// Simulates all; results in the order of `workloads`, the same for any number of threads.
std::vector<engine::SmResult> run_workloads(std::span<const engine::SmWorkload* const> workloads,
                                            std::size_t threads,
                                            const engine::SimulateSm& simulate = engine::simulate_sm);

// Runs `task(i)` for i in [0, count) on `threads` threads. An exception of a task is thrown on.
void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task);

// Within a task of for_each_index on several threads: the same on this thread, and on those of them that have
// nothing else to do. Elsewhere on this thread alone. All tasks run, or an exception of one is thrown on.
// Tasks may wait only for what is being computed.
void for_each_index_with_idle(std::size_t count, const std::function<void(std::size_t)>& task);

} // namespace kerncast::parallel
