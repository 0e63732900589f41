#include "../../timeline_gpu.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

configs::Gpu gpu_of_grids(std::uint32_t grids = 128) {
  configs::Gpu gpu = test::gpu();
  gpu.resident_grids = grids;
  return gpu;
}

// So many kernels of these shares, 10 us each alone, in streams of their own: launched at 2, 4, 6 ...
Timeline together(const std::vector<KernelShare>& shares, std::uint32_t grids = 128) {
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < shares.size(); ++i)
    events.emplace_back(KernelEvent{i, i, 1});
  return simulate_timeline(events, std::vector<double>(shares.size(), 10), gpu_of_grids(grids), shares, 100);
}

TEST(SharedGpu, SmallKernelsRunSideBySide) {
  // Half of the SMs each, their bandwidths add up to 0.6: 2..12 and 4..14. What an SM is busy with does not
  // matter, they are other SMs.
  const KernelShare half{0.5, 1, 0.9, 0.3};
  const Timeline t = together({half, half});
  EXPECT_DOUBLE_EQ(t.total_time_us, 14);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 12);
  EXPECT_TRUE(t.kernels_shared);
}

TEST(SharedGpu, ASharedBandwidthSlowsBothDown) {
  // 0.75 + 0.75: 1.5 times slower together. The first has done 2 us at 4 and does the other 8 us in 12: ends
  // at 16. The second has done 8 us then and ends at 18. One after the other: 22.
  const KernelShare half{0.5, 1, 0.2, 0.75};
  EXPECT_DOUBLE_EQ(together({half, half}).total_time_us, 18);
}

TEST(SharedGpu, SmsThatAreSharedSlowBothDown) {
  // All SMs, but half of the room there: the same with the busiest resource of an SM.
  const KernelShare thin{1, 0.5, 0.75, 0.1};
  EXPECT_DOUBLE_EQ(together({thin, thin}).total_time_us, 18);
}

TEST(SharedGpu, WhatDoesNotFitWaits) {
  // Neither 1.2 of the SMs nor 1.2 of an SM's room: 2..12, 12..22.
  const KernelShare large{0.6, 0.6, 0.1, 0.1};
  const Timeline t = together({large, large});
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
  EXPECT_FALSE(t.kernels_shared);
}

TEST(SharedGpu, WithoutSharesEveryKernelRunsAlone) {
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, {10}, gpu_of_grids());
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
}

TEST(SharedGpu, NoKernelOvertakesAnotherOne) {
  // The third would fit beside the first, but the second is before it: 2..12, 12..22, 22..32.
  const KernelShare small{0.1, 0.1, 0, 0};
  EXPECT_DOUBLE_EQ(together({small, KernelShare{}, small}).total_time_us, 32);
}

TEST(SharedGpu, HoldsSoManyGrids) {
  // Two at a time: 2..12, 4..14, and the third at 12: 12..22. Three: 6..16.
  const KernelShare small{0.1, 0.1, 0, 0};
  EXPECT_DOUBLE_EQ(together({small, small, small}, 2).total_time_us, 22);
  EXPECT_DOUBLE_EQ(together({small, small, small}, 3).total_time_us, 16);
}

TEST(SharedGpu, KernelsOfOneStreamNeverRunTogether) {
  const KernelShare small{0.1, 0.1, 0, 0};
  const Timeline t =
      simulate_timeline({KernelEvent{0, 0, 3}}, {10}, gpu_of_grids(), std::vector<KernelShare>{small});
  EXPECT_DOUBLE_EQ(t.total_time_us, 32);
}

struct Kernels {
  std::vector<Event> events;
  std::vector<double> times_us;
  std::vector<KernelShare> shares;
};

Kernels random_kernels(std::mt19937& random) {
  const auto tenths = [&](unsigned least, unsigned most) {
    return static_cast<double>(least + random() % (most - least + 1)) / 10;
  };
  Kernels kernels;
  const auto count = static_cast<std::uint32_t>(2 + random() % 7);
  for (std::uint32_t i = 0; i < count; ++i) {
    kernels.events.emplace_back(KernelEvent{i, i, 1});
    kernels.times_us.push_back(tenths(1, 100));
    kernels.shares.push_back({tenths(1, 10), tenths(1, 10), tenths(0, 10), tenths(0, 10)});
  }
  return kernels;
}

// Of what runs between two neighbouring points of time.
KernelShare running(const std::vector<ItemSpan>& items, double begin, double end,
                    const std::vector<KernelShare>& shares) {
  KernelShare sum{0, 0, 0, 0};
  for (const ItemSpan& item : items)
    if (item.begin <= begin && end <= item.end)
      sum += shares[item.number];
  return sum;
}

// What each kernel has done between its begin and its end, each time at the speed of what ran with it.
void expect_work_is_conserved(const Timeline& t, const Kernels& kernels) {
  std::vector<double> points;
  for (const ItemSpan& item : t.items)
    points.insert(points.end(), {item.begin, item.end});
  std::sort(points.begin(), points.end());
  ASSERT_EQ(t.items.size(), kernels.times_us.size());
  for (const ItemSpan& item : t.items) {
    double done = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (points[i - 1] >= item.begin && points[i] <= item.end && points[i] > points[i - 1]) {
        const KernelShare sum = running(t.items, points[i - 1], points[i], kernels.shares);
        EXPECT_TRUE(fit_together(sum) || sum.sms == kernels.shares[item.number].sms);
        const bool is_alone = sum.sms == kernels.shares[item.number].sms;
        done += (points[i] - points[i - 1]) / (is_alone ? 1 : slowdown(sum));
      }
    EXPECT_NEAR(done, kernels.times_us[item.number], 1e-9);
  }
}

TEST(SharedGpu, ConservesWorkWithinItsBounds) {
  std::mt19937 random(1);
  int shared = 0;
  for (int i = 0; i < 500; ++i) {
    const Kernels kernels = random_kernels(random);
    configs::Gpu at_once = gpu_of_grids();
    at_once.launch_overhead_us = 0;
    const Timeline t = simulate_timeline(kernels.events, kernels.times_us, at_once, kernels.shares, 100);
    const double sum = std::accumulate(kernels.times_us.begin(), kernels.times_us.end(), 0.0);
    EXPECT_LE(t.total_time_us, sum + 1e-9) << i;
    EXPECT_GE(t.total_time_us, *std::max_element(kernels.times_us.begin(), kernels.times_us.end()) - 1e-9)
        << i;
    EXPECT_NEAR(t.kernels_busy_us, t.total_time_us, 1e-9) << i;
    expect_work_is_conserved(t, kernels);
    shared += t.kernels_shared ? 1 : 0;
  }
  EXPECT_GT(shared, 100);
}

} // namespace
} // namespace kerncast::timeline
