// What L2 writes to DRAM to make room, by the accesses that need it.
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

// Where nothing is read stores displace what was stored: 192 of 256 lines.
TEST(DisplacedData, OfStoresIsTheirOwn) {
  const LaunchHits hits = run(small_gpu(), sweep_by(store, 0, 256));
  EXPECT_DOUBLE_EQ(hits.by_task[store].l2, 64.0 / 256);
  EXPECT_DOUBLE_EQ(hits.by_task[store].displaced, 0);
}

// Each of 256 lines is copied: 512 come and make 448 go, half of which are dirty. Whoever brings a line has
// written what it displaces, not who dirtied it.
TEST(DisplacedData, OfACopyIsLoadsAndStoresAlike) {
  const LaunchHits hits = run(small_gpu(), {.of_cta = [](std::uint64_t) {
                                std::vector<Access> accesses;
                                for (std::uint64_t i = 0; i < 256; ++i) {
                                  accesses.push_back({.task = load, .line = i});
                                  accesses.push_back({.task = store, .line = 1000 + i});
                                }
                                return accesses;
                              }});
  EXPECT_DOUBLE_EQ(hits.by_task[load].displaced, 224.0 / 512);
  EXPECT_DOUBLE_EQ(1 - hits.by_task[store].l2, 224.0 / 512);
  EXPECT_DOUBLE_EQ(hits.by_task[store].displaced, 0);
  EXPECT_DOUBLE_EQ(hits.rates.l2, (256.0 - 224) / 512); // as the counters of L2 see it
}

// What is read and then stored needs no room for the store.
TEST(DisplacedData, OfUpdatesInPlaceIsTheLoads) {
  const LaunchHits hits = run(small_gpu(), {.of_cta = [](std::uint64_t) {
                                std::vector<Access> accesses;
                                for (std::uint64_t i = 0; i < 256; ++i)
                                  for (const tasklist::TaskId task : {load, store})
                                    accesses.push_back({.task = task, .line = i});
                                return accesses;
                              }});
  EXPECT_DOUBLE_EQ(hits.by_task[load].displaced, 192.0 / 256);
  EXPECT_DOUBLE_EQ(hits.by_task[store].l2, 1);
}

// Of 32 lines that L2 has 16 may be dirty: storing the others makes it write as many, for which nothing has
// to go.
TEST(DisplacedData, OfStoresBeyondWhatMayBeDirtyIsTheirs) {
  configs::Gpu gpu = small_gpu();
  gpu.l2.dirty_fraction = 0.25;
  const LaunchHits hits = run(gpu, {.of_cta = [](std::uint64_t) {
                                std::vector<Access> accesses;
                                for (const tasklist::TaskId task : {load, store})
                                  for (std::uint64_t i = 0; i < 32; ++i)
                                    accesses.push_back({.task = task, .line = i});
                                return accesses;
                              }});
  EXPECT_DOUBLE_EQ(hits.by_task[store].l2, 16.0 / 32);
  EXPECT_DOUBLE_EQ(hits.by_task[load].displaced, 0);
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

// Likewise of atomics, each of which brings its line.
TEST(DisplacedData, OfAtomicsBeyondWhatMayBeDirtyIsTheirs) {
  configs::Gpu gpu = small_gpu();
  gpu.l2.dirty_fraction = 0.25;
  const LaunchHits hits = run(gpu, sweep_by(atomic, 0, 32));
  EXPECT_DOUBLE_EQ(hits.by_task[atomic].l2, 0);
  EXPECT_DOUBLE_EQ(hits.by_task[atomic].displaced, 16.0 / 32);
}

// Lines that DRAM moves for so many accesses of each task, by the rates.
double moved(const LaunchHits& hits, const std::vector<double>& accesses) {
  double lines = 0;
  for (std::size_t t = 0; t < accesses.size(); ++t)
    lines += accesses[t] * (1 - hits.by_task[t].l2 + hits.by_task[t].displaced);
  return lines;
}

// 1,024 CTAs, four at a time, of which the first and the last so many are followed. Each loads its line and
// stores it 32 times: the first four accesses bring all lines of a wave. DRAM reads and writes each line.
TEST(DisplacedData, OfCtasInStepIsCountedWhereItComes) {
  const Kernel kernel{.ctas = 1024,
                      .of_cta =
                          [](std::uint64_t cta) {
                            std::vector<Access> accesses(33, {store, cta});
                            accesses.front().task = load;
                            return accesses;
                          },
                      .ctas_per_sm = 4};
  for (const std::uint64_t followed : {4, 6, 9, 12, 50})
    EXPECT_NEAR(moved(run(small_gpu(), kernel, {.lines_per_launch = 2 * 33 * followed}), {1, 32}), 2, 1e-12)
        << followed;
}

} // namespace
} // namespace kerncast::hit_rates
