// TBB only hands out calls of simulate_sm or its like, which is pure: results cannot depend on the threads.
#include "parallel/run.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <numeric>

#include "engine/workload_key.h"
#include "workers.h"

namespace kerncast::parallel {

WorkList make_work_list(std::span<const engine::SmWorkload* const> workloads) {
  std::vector<const engine::SmWorkload*> found;
  std::vector<std::size_t> found_index;
  std::map<engine::WorkloadKey, std::size_t> known;
  for (const engine::SmWorkload* workload : workloads) {
    const auto [entry, is_new] = known.try_emplace(engine::workload_key(*workload), found.size());
    if (is_new)
      found.push_back(workload);
    found_index.push_back(entry->second);
  }
  std::vector<std::uint64_t> cost;
  for (const engine::SmWorkload* workload : found)
    cost.push_back(engine::expected_instructions(*workload));
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a] > cost[b]; });

  WorkList list;
  std::vector<std::size_t> place(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    list.distinct.push_back(found[order[i]]);
  }
  for (const std::size_t index : found_index)
    list.index_of.push_back(place[index]);
  return list;
}

std::vector<Completed> drain(const WorkList& list, const WorkSource& source, std::size_t threads,
                             const engine::SimulateSm& simulate) {
  std::vector<Completed> done;
  std::mutex done_mutex;
  run_on_workers(worker_count(threads), threads, [&](std::size_t) {
    while (const std::optional<std::size_t> index = source()) {
      assert(*index < list.distinct.size() && "a source gives out numbers of the list");
      Completed completed{*index, simulate(*list.distinct[*index])};
      const std::lock_guard lock(done_mutex);
      done.push_back(std::move(completed));
    }
  });
  return done;
}

std::vector<engine::SmResult> in_input_order(const WorkList& list, const std::vector<Completed>& done) {
  std::vector<const engine::SmResult*> of_distinct(list.distinct.size());
  for (const Completed& one : done)
    of_distinct[one.index] = &one.result;
  std::vector<engine::SmResult> results;
  for (const std::size_t index : list.index_of)
    results.push_back(*of_distinct[index]);
  return results;
}

std::vector<engine::SmResult> run_workloads(std::span<const engine::SmWorkload* const> workloads,
                                            std::size_t threads, const engine::SimulateSm& simulate) {
  const WorkList list = make_work_list(workloads);
  std::atomic<std::size_t> next = 0;
  const WorkSource source = [&]() -> std::optional<std::size_t> {
    const std::size_t index = next++;
    return index < list.distinct.size() ? std::optional(index) : std::nullopt;
  };
  return in_input_order(list, drain(list, source, threads, simulate));
}

void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& task) {
  run_on_workers(count, threads, task);
}

void for_each_index_with_idle(std::size_t count, const std::function<void(std::size_t)>& task) {
  run_with_idle_workers(count, task);
}

} // namespace kerncast::parallel
