#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

TEST(Engines, KernelsOfDifferentStreamsRunOneAfterAnother) {
  // issued at 2 and 4; 2..12, 12..22
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 22);
}

TEST(Engines, CopiesInOneDirectionQueue) {
  // 0..5 and 5..10, though the streams differ
  const Timeline t = simulate_timeline({h2d(4000, 0), h2d(4000, 1)}, {}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 10);
}

TEST(Engines, CopiesInOppositeDirectionsOverlap) {
  const Timeline t = simulate_timeline({h2d(4000, 0), d2h(4000, 1)}, {}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 5);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 5);
}

configs::Gpu with_copy_engines(std::uint32_t engines) {
  configs::Gpu with = gpu();
  with.copy_engines = engines;
  return with;
}

TEST(Engines, OneCopyEngineSerialisesOppositeDirections) {
  // 0..5 and 5..10; with two engines, or more, both 0..5
  const std::vector<Event> copies = {h2d(4000, 0), d2h(4000, 1)};
  EXPECT_DOUBLE_EQ(simulate_timeline(copies, {}, with_copy_engines(1)).total_time_us, 10);
  for (const std::uint32_t engines : {2U, 7U})
    EXPECT_DOUBLE_EQ(simulate_timeline(copies, {}, with_copy_engines(engines)).total_time_us, 5);
}

TEST(Engines, MoreOfThemDoNotWidenTheLink) {
  EXPECT_DOUBLE_EQ(simulate_timeline({h2d(4000, 0), h2d(4000, 1)}, {}, with_copy_engines(7)).total_time_us,
                   10);
}

TEST(Engines, WithoutACopyEngineCopiesAndKernelsTakeTurns) {
  // kernel 2..12, copy 12..17; with an engine 2..7
  const std::vector<Event> events = {KernelEvent{0, 0, 1}, h2d(4000, 1)};
  const Timeline turns = simulate_timeline(events, {10}, with_copy_engines(0));
  EXPECT_DOUBLE_EQ(turns.total_time_us, 17);
  EXPECT_DOUBLE_EQ(turns.kernels_busy_us, 10);
  EXPECT_DOUBLE_EQ(turns.copies_busy_us, 5);
  EXPECT_DOUBLE_EQ(simulate_timeline(events, {10}, with_copy_engines(1)).total_time_us, 12);
}

TEST(Engines, AKernelWhoseStreamWaitsDoesNotHoldUpAnotherStream) {
  // Stream 0: h2d 0..21, then a kernel issued at 2 that waits for it. Stream 1: kernel issued at 4: 4..14.
  // Then the first: 21..31. First come, first served by issue order alone would end at 41.
  const Timeline t =
      simulate_timeline({h2d(20000, 0), KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 31);
}

TEST(Engines, OfKernelsReadyTogetherTheOneIssuedFirstRuns) {
  // h2d of streams 0 and d2h of stream 1 both end at 9. Kernels of 10 (stream 1, issued at 2) and 1 us
  // (stream 0, issued at 4) become ready together: 9..19 and 19..20; then d2h of stream 1 (1 us + 4 us)
  // runs 19..24. In the other order it would be 9..10, 10..20 and 20..25.
  const Timeline t = simulate_timeline(
      {h2d(8000, 0), d2h(8000, 1), KernelEvent{0, 1, 1}, KernelEvent{1, 0, 1}, d2h(4000, 1)}, {10, 1}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 24);
}

TEST(Engines, MemsetAndDeviceCopiesShareOneEngine) {
  // memset 8000 bytes / 4000 per us: 0..2; d2d 2 * 8000 / 4000: 2..6
  const Timeline t =
      simulate_timeline({CopyEvent{CopyKind::memset, 8000, 0}, CopyEvent{CopyKind::d2d, 8000, 1}}, {}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 6);
}

} // namespace
} // namespace kerncast::timeline
