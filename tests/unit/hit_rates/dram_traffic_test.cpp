// Whatever a launch does, the rates of its tasks make DRAM move what the cache moves, no more and no less.
#include <algorithm>
#include <list>
#include <random>

#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

// An L2 line by line, the line used last in front.
class PlainL2 {
public:
  PlainL2(std::size_t lines, std::size_t dirty_lines) : lines_(lines), dirty_lines_(dirty_lines) {}

  void access(std::uint64_t number, bool reads, bool writes) {
    auto at = std::ranges::find(list_, number, &Line::number);
    if (at == list_.end() && list_.size() == lines_) {
      moved_ += list_.back().dirty ? 1 : 0;
      list_.pop_back();
    }
    if (at == list_.end())
      at = list_.insert(list_.begin(), {.number = number});
    list_.splice(list_.begin(), list_, at);
    moved_ += reads && !at->valid ? 1 : 0;
    at->valid = true; // lines are written whole
    at->dirty |= writes;
    if (std::ranges::count(list_, true, &Line::dirty) > static_cast<std::ptrdiff_t>(dirty_lines_))
      clean_oldest();
  }
  std::uint64_t take_moved() { return std::exchange(moved_, 0); }

private:
  struct Line {
    std::uint64_t number = 0;
    bool valid = false, dirty = false;
  };
  void clean_oldest() {
    std::find_if(list_.rbegin(), list_.rend(), [](const Line& line) { return line.dirty; })->dirty = false;
    ++moved_;
  }

  std::size_t lines_, dirty_lines_;
  std::list<Line> list_;
  std::uint64_t moved_ = 0;
};

// Loads past L1, stores and atomics of one warp, near each other and anywhere, as often as chance has it.
std::vector<Access> random_accesses(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t tasks[] = {below(4), below(4), below(4)};
  std::vector<Access> accesses;
  for (std::uint32_t n = 20 + below(300), i = 0; i < n; ++i) {
    std::uint32_t drawn = below(tasks[0] + tasks[1] + tasks[2] + 1);
    tasklist::TaskId task = 0;
    for (; task < 2 && drawn > tasks[task]; ++task)
      drawn -= tasks[task];
    accesses.push_back({.task = task, .line = below(2) == 0 ? i / 2 : below(150)});
  }
  return accesses;
}

class DramTraffic : public testing::TestWithParam<double> {};

TEST_P(DramTraffic, OfAllTasksIsThatOfTheCache) {
  configs::Gpu gpu = small_gpu();
  gpu.l2.dirty_fraction = GetParam();
  std::mt19937 random(7);
  for (int run_number = 0; run_number < 200; ++run_number) {
    DeviceCaches caches(gpu, {});
    PlainL2 plain(64, static_cast<std::size_t>(64 * GetParam()));
    for (int launch = 0; launch < 3; ++launch) {
      const std::vector<Access> accesses = random_accesses(random);
      std::vector<double> of_task(3);
      for (const Access& access : accesses) {
        plain.access(access.line, access.task != 1, access.task != 0);
        of_task[access.task] += 1;
      }
      const LaunchHits hits =
          run(caches, {.of_cta = [&](std::uint64_t) { return accesses; },
                       .operations = {"ld.global.cg.f32", "st.global.f32", "atom.global.add.u32"}});
      double moved = 0;
      for (std::size_t t = 0; t < of_task.size(); ++t)
        moved += of_task[t] * (1 - hits.by_task[t].l2 + hits.by_task[t].displaced);
      EXPECT_NEAR(moved, static_cast<double>(plain.take_moved()), 1e-9) << run_number << ' ' << launch;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LinesThatMayBeDirty, DramTraffic, testing::Values(1, 0.5, 0.125));

} // namespace
} // namespace kerncast::hit_rates
