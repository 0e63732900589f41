// What L2 writes to DRAM to make room, for accesses that store nothing.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

constexpr tasklist::TaskId load = 0, store = 1, atomic = 2;

Kernel sweep_by(tasklist::TaskId task, std::uint64_t first, std::uint64_t lines) {
  return {.of_cta = [=](std::uint64_t) {
    std::vector<Access> accesses;
    for (std::uint64_t i = 0; i < lines; ++i)
      accesses.push_back({.task = task, .line = first + i});
    return accesses;
  }};
}

// L2 has 64 lines: of 256 that atomics change, each of which is fetched, it writes back 192.
TEST(DisplacedData, OfAtomicsIsWhatL2CannotKeep) {
  const LaunchHits hits = run(small_gpu(), sweep_by(atomic, 0, 256));
  EXPECT_DOUBLE_EQ(hits.by_task[atomic].l2, 0);
  EXPECT_DOUBLE_EQ(hits.by_task[atomic].displaced, 192.0 / 256);
}

// The first launch leaves 64 lines written; of 80 others that the second one reads 64 drive them out, and the
// rest what was read.
TEST(DisplacedData, OfAnEarlierLaunchIsWrittenByWhoNeedsTheRoom) {
  const configs::Gpu gpu = small_gpu();
  DeviceCaches caches(gpu, {});
  EXPECT_DOUBLE_EQ(run(caches, sweep_by(store, 0, 64)).rates.displaced, 0);
  EXPECT_DOUBLE_EQ(run(caches, sweep_by(load, 100, 80)).by_task[load].displaced, 64.0 / 80);
  EXPECT_DOUBLE_EQ(run(caches, sweep_by(load, 300, 80)).by_task[load].displaced, 0);
}

// Stores pay for themselves: 192 of 256 lines go to DRAM, nothing beyond them.
TEST(DisplacedData, OfStoresIsTheirOwn) {
  const LaunchHits hits = run(small_gpu(), sweep_by(store, 0, 256));
  EXPECT_DOUBLE_EQ(hits.by_task[store].l2, 64.0 / 256);
  EXPECT_DOUBLE_EQ(hits.by_task[store].displaced, 0);
}

// One sector of each of 64 lines is stored where four were written before: it makes four go, one of which is
// counted as its own.
TEST(DisplacedData, OfStoresToOtherLinesMayBeMore) {
  const configs::Gpu gpu = small_gpu();
  DeviceCaches caches(gpu, {});
  run(caches, sweep_by(store, 0, 64));
  const LaunchHits hits = run(caches, {.of_cta = [](std::uint64_t) {
                                std::vector<Access> accesses;
                                for (std::uint64_t i = 0; i < 64; ++i)
                                  accesses.push_back({.task = store, .line = 100 + i, .lanes = 0xff});
                                return accesses;
                              }});
  EXPECT_DOUBLE_EQ(hits.by_task[store].l2, 0);
  EXPECT_DOUBLE_EQ(hits.by_task[store].displaced, 3);
}

// 1,024 CTAs, four at a time, of which only the first and the last four are followed. Each stores its line 32
// times: the first four accesses bring all lines of a wave. Of 32 stores one is written back.
TEST(DisplacedData, OfCtasInStepIsCountedWhereItComes) {
  const Kernel kernel{.ctas = 1024,
                      .of_cta =
                          [](std::uint64_t cta) {
                            return std::vector<Access>(32, {store, cta});
                          },
                      .ctas_per_sm = 4};
  EXPECT_DOUBLE_EQ(run(small_gpu(), kernel, {.lines_per_launch = 1}).rates.l2, 1 - 1.0 / 32);
}

} // namespace
} // namespace kerncast::hit_rates
