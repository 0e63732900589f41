#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline::stream_waits {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

double total_us(const std::vector<Event>& events, const std::vector<double>& kernel_time_us) {
  return simulate_timeline(events, kernel_time_us, gpu()).total_time_us;
}

TEST(CudaEvents, TwoStreamsOverlapUntilOneWaitsForTheOther) {
  // Stream 1: copy 0..20. Stream 2: kernel 2..12, the next, issued at 4, waits for the copy: 20..30.
  const std::vector<Event> waits = {h2d(19000, 1), EventRecordEvent{0, 1}, KernelEvent{0, 2, 1},
                                    StreamWaitEvent{0, 2}, KernelEvent{0, 2, 1}};
  const Timeline t = simulate_timeline(waits, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 30);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 30);
  // Without the wait: 12..22.
  EXPECT_DOUBLE_EQ(total_us({h2d(19000, 1), KernelEvent{0, 2, 2}}, {10}), 22);
}

TEST(CudaEvents, AWaitSeesTheLatestRecordIssuedBeforeIt) {
  // Stream 1: copies 0..10 and 10..20, a record behind each. Stream 2 waits for the first: kernel of 1 us
  // 10..11. Stream 3 waits for the second: kernel of 10 us 20..30.
  // (The second seen by both: 20..21 and 21..31; the first by both: 10..11 and 11..21.)
  EXPECT_DOUBLE_EQ(
      total_us({h2d(9000, 1), EventRecordEvent{0, 1}, StreamWaitEvent{0, 2}, h2d(9000, 1),
                EventRecordEvent{0, 1}, StreamWaitEvent{0, 3}, KernelEvent{0, 2, 1}, KernelEvent{1, 3, 1}},
               {1, 10}),
      30);
}

TEST(CudaEvents, AWaitForAnEventThatWasNeverRecordedHoldsNothing) {
  // 2..12, although the copy, 0..20, is recorded later
  EXPECT_DOUBLE_EQ(
      total_us({StreamWaitEvent{0, 2}, h2d(9000, 1), EventRecordEvent{0, 1}, KernelEvent{0, 2, 1}}, {10}),
      12);
}

TEST(CudaEvents, WaitsPassOnFromStreamToStreamInNoTime) {
  // copy 0..10 in stream 1; 2 waits for 1 and 3 for 2: kernel of stream 3 10..20
  EXPECT_DOUBLE_EQ(total_us({h2d(9000, 1), EventRecordEvent{0, 1}, StreamWaitEvent{0, 2},
                             EventRecordEvent{1, 2}, StreamWaitEvent{1, 3}, KernelEvent{0, 3, 1}},
                            {10}),
                   20);
}

TEST(CudaEvents, AStreamPassesItsOwnRecordAndACompleteOne) {
  // kernels 2..12 and 12..22; at 22 the host launches another: 24..34
  EXPECT_DOUBLE_EQ(total_us({KernelEvent{0, 1, 1}, EventRecordEvent{0, 1}, StreamWaitEvent{0, 1},
                             KernelEvent{0, 1, 1}, SyncEvent{}, StreamWaitEvent{0, 2}, KernelEvent{0, 2, 1}},
                            {10}),
                   34);
}

TEST(CudaEvents, TheHostWaitsForAnEventAndNotForWhatComesAfterIt) {
  // kernels 2..12 and 12..22, a record between them; the host goes on at 12: copy 12..32
  EXPECT_DOUBLE_EQ(total_us({KernelEvent{0, 1, 1}, EventRecordEvent{0, 1}, KernelEvent{0, 1, 1},
                             EventSyncEvent{0}, d2h(19000, 2)},
                            {10}),
                   32);
  // for the whole stream: 22..42
  EXPECT_DOUBLE_EQ(total_us({KernelEvent{0, 1, 2}, StreamSyncEvent{1}, d2h(19000, 2)}, {10}), 42);
}

TEST(StreamSync, LetsTheHostGoOnWhileAnotherStreamRuns) {
  // Stream 1: copy 0..100. Stream 2: kernel 2..12, the host goes on at 12, kernel 14..24.
  EXPECT_DOUBLE_EQ(
      total_us({h2d(99000, 1), KernelEvent{0, 2, 1}, StreamSyncEvent{2}, KernelEvent{0, 2, 1}}, {10}), 100);
  // A sync of everything: the second kernel 102..112.
  EXPECT_DOUBLE_EQ(total_us({h2d(99000, 1), KernelEvent{0, 2, 1}, SyncEvent{}, KernelEvent{0, 2, 1}}, {10}),
                   112);
}

TEST(StreamSync, OfAStreamWithoutWorkTakesNoTime) {
  EXPECT_DOUBLE_EQ(total_us({StreamSyncEvent{7}, KernelEvent{0, 0, 1}}, {10}), 2 + 10);
}

TEST(PageableCopy, BlocksTheNextLaunch) {
  CopyEvent copy = h2d(4000);
  // pinned, 0..5: the kernel of another stream 2..12
  EXPECT_DOUBLE_EQ(total_us({copy, KernelEvent{0, 1, 1}}, {10}), 12);
  // pageable: the host goes on at 5, kernel 7..17
  copy.memory = HostMemory::pageable;
  EXPECT_DOUBLE_EQ(total_us({copy, KernelEvent{0, 1, 1}}, {10}), 17);
}

TEST(PageableCopy, BlocksBehindTheWorkOfItsStream) {
  // kernel 2..12, copy 12..17, the host goes on at 17: kernel of another stream 19..29
  CopyEvent copy = d2h(4000);
  copy.memory = HostMemory::pageable;
  EXPECT_DOUBLE_EQ(total_us({KernelEvent{0, 0, 1}, copy, KernelEvent{0, 1, 1}}, {10}), 29);
}

TEST(PageableCopy, IsAnAssumption) {
  CopyEvent copy = d2h(4000);
  EXPECT_TRUE(assumptions({copy}, {}, gpu()).empty());
  copy.memory = HostMemory::pageable;
  EXPECT_EQ(assumptions({copy, copy}, {}, gpu()).size(), 1U);
}

} // namespace
} // namespace kerncast::timeline::stream_waits
