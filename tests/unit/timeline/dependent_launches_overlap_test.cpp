// Launches take the host 2 us. Kernels of 10 us that take half of the SMs, and little bandwidth.
#include "../../timeline_gpu.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

constexpr KernelShare half{0.5, 1, 0.2, 0.3};
constexpr KernelShare third{0.3, 1, 0.2, 0.3};
constexpr KernelParts none{1, 0};

configs::Gpu hopper() {
  configs::Gpu gpu = test::gpu();
  gpu.compute_capability_major = 9;
  gpu.resident_grids = 8;
  return gpu;
}

KernelEvent kernel(std::uint32_t launch, std::uint32_t stream = 0) { return {launch, stream, 1, 0, false}; }
KernelEvent programmatic(std::uint32_t launch, std::uint64_t repeat = 1) {
  return {launch, 0, repeat, 0, true};
}

Timeline run(const std::vector<Event>& events, const std::vector<KernelParts>& parts,
             const KernelShare& share = half, const configs::Gpu& gpu = hopper()) {
  const std::vector<KernelShare> shares(parts.size(), share);
  const Timeline t =
      simulate_timeline(events, std::vector<double>(parts.size(), 10), gpu, shares, 1000, parts);
  const CriticalPath& path = t.critical_path;
  EXPECT_NEAR(path.kernels + path.copies + path.launches, t.total_time_us, 1e-9 * t.total_time_us);
  return t;
}

// A 2..12 triggers at 6; B's prologue 6..9, the rest from A's end on: 12..19.
TEST(DependentLaunch, BeginsAtTheTriggerAndWaitsForTheEnd) {
  const Timeline t = run({kernel(0), programmatic(1)}, {{0.4, 0}, {1, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 19);
  EXPECT_DOUBLE_EQ(t.kernels_busy_us, 17);
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 3);
  EXPECT_DOUBLE_EQ(t.critical_path.launches, 2);
}

TEST(DependentLaunch, IsSeenInItsStreamBesideItsPrologue) {
  const Timeline t = run({kernel(0, 5), KernelEvent{1, 5, 1, 0, true}}, {{0.4, 0}, {1, 0.3}});
  ASSERT_EQ(t.items.size(), 3U);
  const auto expect = [](const ItemSpan& span, std::uint32_t launch, bool is_prologue, double begin,
                         double end) {
    EXPECT_EQ(span.number, launch);
    EXPECT_EQ(span.stream, 5U);
    EXPECT_EQ(span.is_prologue, is_prologue);
    EXPECT_DOUBLE_EQ(span.begin, begin);
    EXPECT_DOUBLE_EQ(span.end, end);
  };
  expect(t.items[0], 1, true, 6, 9);
  expect(t.items[1], 0, false, 2, 12);
  expect(t.items[2], 1, false, 12, 19);
}

// A 2..12 triggers at 11: B's prologue 11..14, the rest behind it.
TEST(DependentLaunch, GoesOnAtOnceWhenTheKernelBeforeHasEnded) {
  const Timeline t = run({kernel(0), programmatic(1)}, {{0.9, 0}, {1, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 21);
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 1);
}

// B's prologue waits for room, as B without the attribute does.
TEST(DependentLaunch, IsNotEarlyWithoutRoom) {
  const Timeline t = run({kernel(0), programmatic(1)}, {{0.4, 0}, {1, 0.3}}, KernelShare{});
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
  EXPECT_EQ(t.early_prologues_us, 0);
}

TEST(DependentLaunch, IsNotEarlyIfTheKernelBeforeDoesNotTrigger) {
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, {none, {1, 0.3}}).total_time_us, 22);
}

// An edge of a graph: as in a stream, but that a node's overhead lies behind the trigger.
// A 2.5..12.5 triggers at 6.5; B's prologue 7..10, the rest 12.5..19.5, C behind its overhead 20..30.
TEST(DependentLaunch, IsAnEdgeWithinAGraph) {
  configs::Gpu gpu = hopper();
  gpu.graph.node_overhead_us = 0.5;
  const std::vector<Event> graph = {GraphEvent{true, 0, 0}, kernel(0), programmatic(1), kernel(2),
                                    GraphEvent{false, 0, 0}};
  const Timeline t = run(graph, {{0.4, 0}, {1, 0.3}, none}, half, gpu);
  EXPECT_DOUBLE_EQ(t.total_time_us, 30);
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 3);
  EXPECT_DOUBLE_EQ(t.critical_path.launches, 3);
}

// Neither behind what was before the graph, nor what comes behind it: 2..12, 12..22, 22..32.
TEST(DependentLaunch, DoesNotReachAcrossTheEndsOfAGraph) {
  const std::vector<Event> events = {kernel(0), GraphEvent{true, 0, 0}, programmatic(1),
                                     GraphEvent{false, 0, 0}, programmatic(1)};
  const Timeline t = run(events, {{0.4, 0}, {0.4, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 32);
  EXPECT_EQ(t.early_prologues_us, 0);
}

TEST(DependentLaunch, NeedsTheAttribute) {
  EXPECT_DOUBLE_EQ(run({kernel(0), kernel(1)}, {{0.4, 0}, {1, 0.3}}).total_time_us, 22);
}

// Bandwidth for 1.5 times as much: from 6 on both at 1 / 1.5. The prologue's 3 us take 6..10.5, when A has 3
// us left: 10.5..13.5. B's other 7 us end at 20.5.
TEST(DependentLaunch, SharesTheGpuLikeOtherKernels) {
  const Timeline t = run({kernel(0), programmatic(1)}, {{0.4, 0}, {1, 0.3}}, {0.5, 1, 0.2, 0.75});
  EXPECT_DOUBLE_EQ(t.total_time_us, 20.5);
  EXPECT_TRUE(t.kernels_shared);
}

// B 6..16 is not held up by A, but C comes behind both, A 2..12 and B.
TEST(DependentLaunch, MayNeverWait) {
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, {{0.4, 0}, {1, 1}}).total_time_us, 16);
  const std::vector<KernelParts> parts = {{0.4, 0}, {1, 1}, none};
  const std::vector<KernelShare> shares(3, half);
  const Timeline t =
      simulate_timeline({kernel(0), programmatic(1), kernel(2)}, {10, 3, 10}, hopper(), shares, 10, parts);
  EXPECT_DOUBLE_EQ(t.total_time_us, 22); // B 6..9, A ends at 12
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 3);
}

// A 2..12 triggers at 6. B's prologue 6..9 triggers at 7. C's prologue 7..10; B ends at 19, C at 26.
TEST(DependentLaunch, MayTriggerInItsPrologue) {
  const Timeline t =
      run({kernel(0), programmatic(1), programmatic(2)}, {{0.4, 0}, {0.1, 0.3}, {1, 0.3}}, third);
  EXPECT_DOUBLE_EQ(t.total_time_us, 26);
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 6);
  std::vector<std::uint32_t> branches;
  for (const ItemSpan& span : t.items)
    if (span.is_prologue)
      branches.push_back(span.branch);
  EXPECT_EQ(branches, (std::vector<std::uint32_t>{1, 2})); // they overlap
}

// B 12..19 triggers after another 2 us, at 14: C's prologue 14..17.
TEST(DependentLaunch, MayTriggerAfterItsWait) {
  const Timeline t = run({kernel(0), programmatic(1), programmatic(2)}, {{0.4, 0}, {0.5, 0.3}, {1, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 26);
  EXPECT_DOUBLE_EQ(t.early_prologues_us, 6);
}

// Each further one ends 7 us after the one before.
TEST(DependentLaunch, RepeatsDependOnEachOther) {
  const Timeline t = run({programmatic(0, 100'000)}, {{0.4, 0.3}});
  EXPECT_NEAR(t.total_time_us, 12 + 99'999 * 7.0, 1e-5);
  EXPECT_NEAR(t.early_prologues_us, 99'999 * 3.0, 1e-5);
}

// A 2..12, B is launched until 14.
TEST(DependentLaunch, MayBeIssuedAfterTheEnd) {
  const Timeline t = run({kernel(0), SyncEvent{}, programmatic(1)}, {{0.4, 0}, {1, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 24);
  EXPECT_EQ(t.early_prologues_us, 0);
}

TEST(DependentLaunch, DependsOnlyOnAKernel) {
  const std::vector<KernelParts> parts = {{0.4, 0}, {1, 0.3}};
  EXPECT_DOUBLE_EQ(run({kernel(0), EventRecordEvent{0, 0}, programmatic(1)}, parts).total_time_us, 22);
  EXPECT_DOUBLE_EQ(run({kernel(0), test::h2d(1000), programmatic(1)}, parts).total_time_us, 24);
  EXPECT_DOUBLE_EQ(run({programmatic(1)}, parts).total_time_us, 12);
  EXPECT_DOUBLE_EQ(run({kernel(0, 1), programmatic(1), SyncEvent{}}, parts).total_time_us, 14);
}

// B ends at 19: that is when its stream has come so far, and its record is complete.
TEST(DependentLaunch, HoldsWhatWaitsForItsStream) {
  const std::vector<KernelParts> parts = {{0.4, 0}, {1, 0.3}};
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1), StreamSyncEvent{0}, kernel(0, 1)}, parts).total_time_us,
                   31);
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1), kernel(0)}, parts).total_time_us, 29);
  EXPECT_DOUBLE_EQ(
      run({kernel(0), programmatic(1), EventRecordEvent{0, 0}, StreamWaitEvent{0, 1}, kernel(0, 1)}, parts)
          .total_time_us,
      29);
}

// X, ready at 6, finds no room beside A and B, which waits from 9 on, until A ends at 12.
TEST(DependentLaunch, KeepsItsRoomWhileItWaits) {
  const Timeline t =
      run({kernel(0), programmatic(1), kernel(2, 1)}, {{0.3, 0}, {1, 0.3}, none}, {0.4, 1, 0, 0.1});
  const auto x =
      std::find_if(t.items.begin(), t.items.end(), [](const ItemSpan& s) { return s.number == 2; });
  ASSERT_NE(x, t.items.end());
  EXPECT_DOUBLE_EQ(x->begin, 12);
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
}

TEST(DependentLaunch, HasNoEffectBelow90) {
  configs::Gpu ampere = hopper();
  ampere.compute_capability_major = 8;
  const std::vector<Event> events = {kernel(0), programmatic(1)};
  const Timeline t = run(events, {{0.4, 0}, {1, 0.3}}, half, ampere);
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
  const std::vector<std::string> texts = assumptions(events, t, ampere);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts[0].find("no effect"), std::string::npos);
}

TEST(DependentLaunch, IsAnAssumption) {
  const std::vector<Event> events = {kernel(0), programmatic(1)};
  EXPECT_EQ(assumptions(events, run(events, {{0.4, 0}, {1, 0.3}}), hopper()),
            (std::vector<std::string>{sharing_assumption, assumption_of_dependent_launches(hopper())}));
}

// A gap of 1 us between kernels of a stream. A 2..12 triggers at 6, B's prologue 7..10, the rest 12..19, and
// C 20..30. Without room for both B starts with A's end, without the attribute a gap later.
TEST(DependentLaunch, HidesTheGapBetweenKernels) {
  configs::Gpu gpu = hopper();
  gpu.kernel_gap_us = 1;
  const std::vector<KernelParts> parts = {{0.4, 0}, {1, 0.3}};
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, parts, half, gpu).total_time_us, 19);
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1), kernel(1)}, parts, half, gpu).total_time_us, 30);
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, parts, KernelShare{}, gpu).total_time_us, 22);
  EXPECT_DOUBLE_EQ(run({kernel(0), kernel(1)}, parts, half, gpu).total_time_us, 23);
  // A triggers at its end, or 0.5 us before: B 12.5..22.5.
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, {{1, 0}, {1, 0.3}}, half, gpu).total_time_us, 23);
  EXPECT_DOUBLE_EQ(run({kernel(0), programmatic(1)}, {{0.95, 0}, {1, 0.3}}, half, gpu).total_time_us, 22.5);
}

// Each of two GPUs has streams of its own.
TEST(DependentLaunch, IsThatOfItsDevice) {
  const std::uint32_t stream = device_streams + 3;
  const Timeline t =
      run({KernelEvent{0, stream, 1, 1, false}, KernelEvent{1, stream, 1, 1, true}, SyncEvent{1}, kernel(0)},
          {{0.4, 0}, {1, 0.3}});
  EXPECT_DOUBLE_EQ(t.total_time_us, 19 + 2 + 10);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(t.items[i].device, 1);
    EXPECT_EQ(t.items[i].stream, stream);
  }
}

struct RandomKernels {
  explicit RandomKernels(std::uint32_t seed) : random(seed) {
    for (std::uint32_t i = 0; i < launches; ++i) {
      times_us.push_back(1 + below(20));
      shares.push_back({fraction(), fraction(), fraction(), fraction()});
      parts.push_back({below(4) == 0 ? 1 : fraction(), below(6) == 0 ? 1 : fraction()});
    }
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); }
  double fraction() { return 0.1 * below(11); }
  std::vector<Event> events(std::uint32_t streams) {
    std::vector<Event> all;
    for (int i = 0; i < 30; ++i) {
      const std::uint32_t stream = below(streams);
      all.emplace_back(KernelEvent{below(launches), stream, 1 + below(3), 0, below(4) != 0});
      if (below(6) == 0)
        all.emplace_back(StreamSyncEvent{stream});
      if (below(6) == 0)
        all.emplace_back(EventRecordEvent{stream, stream});
      if (below(6) == 0)
        all.emplace_back(StreamWaitEvent{below(streams), stream});
    }
    return all;
  }
  Timeline run(const std::vector<Event>& events, bool early) {
    const std::span<const KernelParts> used = early ? parts : std::span<const KernelParts>{};
    configs::Gpu gpu = hopper();
    gpu.kernel_gap_us = gap_us;
    return simulate_timeline(events, times_us, gpu, shares, 10'000, used);
  }

  static constexpr std::uint32_t launches = 5;
  std::mt19937 random;
  std::vector<double> times_us;
  std::vector<KernelShare> shares;
  std::vector<KernelParts> parts;
  double gap_us = 0;
};

double launches_of(const std::vector<Event>& events) {
  double launches = 0;
  for (const Event& event : events)
    if (const auto* kernel = std::get_if<KernelEvent>(&event))
      launches += static_cast<double>(kernel->repeat);
  return launches;
}

// It is never slower than without, and gains no more than the prologues that were early and, if there are
// any, the gaps between kernels.
TEST(DependentLaunch, OfOneStreamNeverLoses) {
  double gained = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    RandomKernels kernels(i);
    const std::vector<Event> events = kernels.events(1);
    kernels.gap_us = i % 3;
    const double gaps_us = kernels.gap_us * launches_of(events);
    const Timeline with = kernels.run(events, true);
    const Timeline without = kernels.run(events, false);
    EXPECT_LE(with.total_time_us, without.total_time_us + 1e-9) << i;
    EXPECT_GE(with.total_time_us, without.total_time_us - with.early_prologues_us - gaps_us - 1e-9) << i;
    gained += without.total_time_us - with.total_time_us;
  }
  EXPECT_GT(gained, 1000);
}

// Whatever the streams: everything ends, kernels take at least their time, of a stream one ends after the
// other, and what runs at a time fits.
TEST(DependentLaunch, OfManyStreamsKeepsTheirOrder) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    RandomKernels kernels(i);
    const std::vector<Event> events = kernels.events(3);
    const Timeline t = kernels.run(events, true);
    const CriticalPath& path = t.critical_path;
    EXPECT_NEAR(path.kernels + path.launches, t.total_time_us, 1e-9 * t.total_time_us) << i;
    std::vector<double> seen(RandomKernels::launches);
    std::vector<double> wanted(RandomKernels::launches);
    for (const Event& event : events)
      if (const auto* kernel = std::get_if<KernelEvent>(&event))
        wanted[kernel->launch] += static_cast<double>(kernel->repeat) * kernels.times_us[kernel->launch];
    std::vector<double> end(3);
    for (const ItemSpan& span : t.items) {
      seen[span.number] += span.end - span.begin;
      if (span.is_prologue)
        continue;
      EXPECT_GE(span.begin, end[span.stream] - 1e-9) << i;
      end[span.stream] = span.end;
    }
    for (std::uint32_t k = 0; k < RandomKernels::launches; ++k)
      EXPECT_GE(seen[k], wanted[k] - 1e-9) << i;
  }
}

} // namespace
} // namespace kerncast::timeline
