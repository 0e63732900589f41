// 000, Algorithm 1: pipelines that look once a cycle for an instruction of their type, groups that follow
// each other. Written as printed, with the oldest warp first; the engine equals it on random kernels of
// dependent instructions, for any number of groups, active groups and warps.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

struct Instruction {
  std::uint16_t pipeline = 0;
  int interval = 1;
  int latency = 1;
};

struct Warp {
  int group = 0;
  std::size_t next = 0;
  int ready = 0; // completion of the instruction before
};

int algorithm_1(const std::vector<Instruction>& kernel, int groups, int active, int warps, int pipelines) {
  std::vector<Warp> running; // oldest first
  std::vector<int> unfinished(static_cast<std::size_t>(groups), warps);
  std::vector<int> issue_event(static_cast<std::size_t>(pipelines), 0);
  int started = 0, end = 0;
  const auto start_group = [&](int now) {
    for (int i = 0; started < groups && i < warps; ++i)
      running.push_back({started, 0, now});
    ++started;
  };
  for (int i = 0; i < active; ++i)
    start_group(0);
  for (int now = 0; !running.empty(); ++now) {
    int ended = 0; // groups
    std::erase_if(running, [&](const Warp& w) {
      const bool done = w.next == kernel.size() && w.ready <= now;
      ended += done && --unfinished[static_cast<std::size_t>(w.group)] == 0 ? 1 : 0;
      end = done ? std::max(end, w.ready) : end;
      return done;
    });
    for (; ended > 0; --ended)
      start_group(now);
    for (std::size_t p = 0; p < issue_event.size(); ++p) {
      const auto fits = [&](const Warp& w) {
        return w.next < kernel.size() && kernel[w.next].pipeline == p && w.ready <= now;
      };
      const auto found = std::find_if(running.begin(), running.end(), fits);
      if (issue_event[p] > now || found == running.end())
        continue;
      const Instruction& issued = kernel[found->next++];
      found->ready = now + issued.latency;
      issue_event[p] = now + issued.interval;
    }
  }
  return end;
}

TEST(algorithm_1, equals_the_engine_on_chains) {
  std::mt19937 random(1);
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  for (int sample = 0; sample < 500; ++sample) {
    std::vector<Instruction> kernel;
    std::vector<toy::Op> ops;
    for (int i = 1 + below(12); i > 0; --i) {
      const Instruction one{static_cast<std::uint16_t>(below(3)), 1 + below(8), 1 + below(60)};
      kernel.push_back(one);
      ops.push_back({one.pipeline, static_cast<double>(one.interval), static_cast<double>(one.latency), {}});
      if (ops.size() > 1)
        ops.back().after = {static_cast<std::uint16_t>(ops.size() - 2)};
    }
    const int groups = 1 + below(12), active = std::min(groups, 1 + below(5)), warps = 1 + below(6);
    const SmConfig config = toy::one_scheduler(3, 3, configs::SchedulerPolicy::oldest);
    const SmResult result = simulate_sm(toy::workload(config, ops, 1, static_cast<std::uint32_t>(active),
                                                      static_cast<std::uint64_t>(groups), false,
                                                      static_cast<std::uint32_t>(warps)));
    ASSERT_EQ(result.cycles, algorithm_1(kernel, groups, active, warps, 3)) << "sample " << sample;
  }
}

} // namespace
} // namespace kerncast::engine
