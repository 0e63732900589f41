// Spreading workloads over threads changes nothing but the time.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "engine/simulate_sm.h"
#include "engine/workload_key.h"
#include "parallel/run.h"
#include "random_workload.h"

namespace kerncast::parallel {
namespace {

std::vector<engine::SmWorkload> random_workloads(std::uint32_t count) {
  std::vector<engine::SmWorkload> workloads;
  for (std::uint32_t seed = 0; seed < count; ++seed)
    workloads.push_back(engine::RandomWorkload(seed).make(configs::SchedulerPolicy::gto));
  return workloads;
}

std::vector<const engine::SmWorkload*> pointers(const std::vector<engine::SmWorkload>& workloads) {
  std::vector<const engine::SmWorkload*> out;
  for (const engine::SmWorkload& workload : workloads)
    out.push_back(&workload);
  return out;
}

TEST(run_workloads, every_number_of_threads_gives_the_sequential_results) {
  const std::vector<engine::SmWorkload> workloads = random_workloads(60);
  for (std::size_t threads : {0U, 1U, 2U, 5U}) {
    const std::vector<engine::SmResult> results = run_workloads(pointers(workloads), threads);
    ASSERT_EQ(results.size(), workloads.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const engine::SmResult alone = engine::simulate_sm(workloads[i]);
      EXPECT_EQ(results[i].cycles, alone.cycles) << threads << " threads, workload " << i;
      EXPECT_EQ(results[i].warp_state_cycles, alone.warp_state_cycles);
    }
  }
}

TEST(work_list, equal_workloads_are_simulated_once) {
  std::vector<engine::SmWorkload> workloads = random_workloads(5);
  const std::vector<engine::SmWorkload> again = random_workloads(5);
  workloads.insert(workloads.end(), again.begin(), again.end());
  const WorkList list = make_work_list(pointers(workloads));
  EXPECT_EQ(list.distinct.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(list.index_of[i], list.index_of[i + 5]);
}

TEST(work_list, the_longest_come_first) {
  const std::vector<engine::SmWorkload> workloads = random_workloads(40);
  const WorkList list = make_work_list(pointers(workloads));
  for (std::size_t i = 1; i < list.distinct.size(); ++i)
    EXPECT_GE(engine::expected_instructions(*list.distinct[i - 1]),
              engine::expected_instructions(*list.distinct[i]));
}

// Every field that the engine reads is part of the identity.
TEST(workload_key, a_change_of_any_part_changes_it) {
  const engine::SmWorkload base = engine::RandomWorkload(1).make(configs::SchedulerPolicy::gto);
  const engine::WorkloadKey key = engine::workload_key(base);
  EXPECT_EQ(engine::workload_key(engine::RandomWorkload(1).make(configs::SchedulerPolicy::gto)), key);
  engine::SmWorkload changed = base;
  changed.config.dram_bytes_per_clock += 1;
  EXPECT_NE(engine::workload_key(changed), key);
  changed = base;
  changed.resident_ctas += 1;
  EXPECT_NE(engine::workload_key(changed), key);
  changed = base;
  changed.ctas.back().count += 1;
  EXPECT_NE(engine::workload_key(changed), key);
  changed = base;
  engine::SmProgram program = *base.program;
  program.ops.front().latency += 1;
  changed.program = std::make_shared<const engine::SmProgram>(program);
  EXPECT_NE(engine::workload_key(changed), key);
  program = *base.program;
  program.requests.front().latency += 1;
  changed.program = std::make_shared<const engine::SmProgram>(program);
  EXPECT_NE(engine::workload_key(changed), key);
}

TEST(for_each_index, visits_every_index_once_and_passes_exceptions_on) {
  std::vector<std::atomic<int>> visits(1000);
  for_each_index(visits.size(), 4, [&](std::size_t i) { ++visits[i]; });
  for (const std::atomic<int>& count : visits)
    EXPECT_EQ(count, 1);
  EXPECT_THROW(for_each_index(10, 2,
                              [](std::size_t i) {
                                if (i == 7)
                                  throw std::runtime_error("seven");
                              }),
               std::runtime_error);
}

// The first of two workers has more to do; the second, which has nothing, takes a part of it. Two tasks that
// wait for each other show that they do.
TEST(for_each_index_with_idle, is_helped_by_workers_that_have_nothing_to_do) {
  std::vector<std::atomic<int>> visits(100);
  std::atomic<int> under_way = 0, most = 0;
  for_each_index(2, 2, [&](std::size_t worker) {
    if (worker != 0)
      return;
    for_each_index_with_idle(visits.size(), [&](std::size_t i) {
      ++visits[i];
      most = std::max(most.load(), ++under_way);
      const auto patient_until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (most < 2 && std::chrono::steady_clock::now() < patient_until) {
        most = std::max(most.load(), under_way.load());
        std::this_thread::yield();
      }
      --under_way;
    });
  });
  EXPECT_EQ(most, 2);
  for (const std::atomic<int>& count : visits)
    EXPECT_EQ(count, 1);
}

TEST(for_each_index_with_idle, of_a_single_worker_or_none_stays_on_its_thread) {
  const auto all_here = [] {
    const std::thread::id here = std::this_thread::get_id();
    std::size_t visits = 0;
    for_each_index_with_idle(1000, [&](std::size_t i) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_EQ(visits++, i);
    });
    EXPECT_EQ(visits, 1000U);
  };
  all_here();
  for_each_index(1, 1, [&](std::size_t) { all_here(); });
}

// One worker fails while the other is in the loop.
TEST(for_each_index_with_idle, ends_whole_when_another_task_fails) {
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> inside = false, failing = false;
  const auto patient_until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto wait_for = [&](const std::atomic<bool>& what) {
    while (!what && std::chrono::steady_clock::now() < patient_until)
      std::this_thread::yield();
  };
  std::size_t done_inside = 0;
  EXPECT_THROW(for_each_index(2, 2,
                              [&](std::size_t worker) {
                                if (worker != 0) {
                                  wait_for(inside);
                                  failing = true;
                                  throw std::runtime_error("another");
                                }
                                for_each_index_with_idle(100, [&](std::size_t) {
                                  inside = true;
                                  wait_for(failing);
                                  std::this_thread::sleep_for(
                                      std::chrono::milliseconds(1)); // it is on its way
                                  ++done;
                                });
                                done_inside = done;
                              }),
               std::runtime_error);
  EXPECT_EQ(done_inside, 100U);
}

TEST(for_each_index_with_idle, passes_exceptions_on) {
  for (const std::size_t workers : {1U, 2U})
    EXPECT_THROW(for_each_index(workers, workers,
                                [](std::size_t) {
                                  for_each_index_with_idle(10, [](std::size_t i) {
                                    if (i == 7)
                                      throw std::runtime_error("seven");
                                  });
                                }),
                 std::runtime_error);
}

} // namespace
} // namespace kerncast::parallel
