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

class Algorithm1 {
public:
  Algorithm1(const std::vector<Instruction>& kernel, int groups, int warps, std::size_t pipelines)
      : kernel_(kernel), warps_(warps), unfinished_(static_cast<std::size_t>(groups), warps),
        issue_event_(pipelines, 0) {}

  // Returns the end of the last warp.
  int run(int active_groups) {
    for (int i = 0; i < active_groups; ++i)
      start_group(0);
    for (int now = 0; !running_.empty(); ++now) {
      for (int ended = end_warps(now); ended > 0; --ended)
        start_group(now);
      for (std::uint16_t pipeline = 0; pipeline < issue_event_.size(); ++pipeline)
        if (issue_event_[pipeline] <= now)
          issue(pipeline, now);
    }
    return end_;
  }

private:
  void start_group(int now) {
    if (started_ < static_cast<int>(unfinished_.size()))
      running_.insert(running_.end(), static_cast<std::size_t>(warps_), Warp{started_, 0, now});
    ++started_;
  }

  // Returns how many groups ended with them.
  int end_warps(int now) {
    int ended = 0;
    std::erase_if(running_, [&](const Warp& w) {
      if (w.next < kernel_.size() || w.ready > now)
        return false;
      ended += static_cast<int>(--unfinished_[static_cast<std::size_t>(w.group)] == 0);
      end_ = std::max(end_, w.ready);
      return true;
    });
    return ended;
  }

  void issue(std::uint16_t pipeline, int now) {
    const auto found = std::find_if(running_.begin(), running_.end(), [&](const Warp& w) {
      return w.next < kernel_.size() && kernel_[w.next].pipeline == pipeline && w.ready <= now;
    });
    if (found == running_.end())
      return;
    const Instruction& issued = kernel_[found->next++];
    found->ready = now + issued.latency;
    issue_event_[pipeline] = now + issued.interval;
  }

  const std::vector<Instruction>& kernel_;
  int warps_;
  std::vector<Warp> running_;    // oldest first
  std::vector<int> unfinished_;  // warps, by group
  std::vector<int> issue_event_; // by pipeline
  int started_ = 0;              // groups
  int end_ = 0;
};

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
    ASSERT_EQ(result.cycles, Algorithm1(kernel, groups, warps, 3).run(active)) << "sample " << sample;
  }
}

} // namespace
} // namespace kerncast::engine
