#include "../../timeline_gpu.h"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

TEST(Timeline, NothingTakesNoTime) {
  const Timeline t = simulate_timeline({}, {}, gpu());
  EXPECT_EQ(t.total_time_us, 0);
  EXPECT_EQ(t.gpu_busy_us, 0);
}

TEST(Timeline, OneKernelIsLaunchOverheadAndItsOwnTime) {
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 10);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 10);
}

TEST(Timeline, CopyKernelCopyOfOneStreamRunInOrder) {
  // h2d 0..5; kernel issued at 2, starts at 5, ends at 15; d2h of 1 us + 2 us: 15..18
  const Timeline t = simulate_timeline({h2d(4000), KernelEvent{0, 0, 1}, d2h(2000)}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 18);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 18);
}

TEST(Timeline, LaunchOverheadHidesBehindALongerKernel) {
  // Issued at 2, 4, 6; kernels of 10: 2..12, 12..22, 22..32.
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 3}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 3 * 10);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 30);
}

TEST(Timeline, ShortKernelsWaitForTheHost) {
  // Issued at 2, 4, 6; kernels of 0.5: 2..2.5, 4..4.5, 6..6.5.
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 3}}, {0.5}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 3 * 2 + 0.5);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 1.5);
}

TEST(Timeline, SyncMakesTheHostWaitSoOverheadIsExposed) {
  // kernel 2..12, the host goes on at 12, second kernel 14..24
  const Timeline t =
      simulate_timeline({KernelEvent{0, 0, 1}, SyncEvent{}, KernelEvent{0, 0, 1}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 24);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 20);
}

TEST(Timeline, ACopyOfAnotherStreamOverlapsWithAKernel) {
  // kernel in stream 0: 2..12; copy in stream 1, issued at 2: 2..7
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1}, h2d(4000, 1)}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 12);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 10);
}

TEST(Timeline, BusyTimeLeavesGapsOut) {
  // h2d 0..5, sync at 5, kernel 7..17: idle from 5 to 7
  const Timeline t = simulate_timeline({h2d(4000), SyncEvent{}, KernelEvent{0, 0, 1}}, {10}, gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 17);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 15);
}

// Two streams, so that an infinite time would have to be compared with another one.
TEST(Timeline, TimesThatAreNoTimesAreRefused) {
  const std::vector<Event> events = {KernelEvent{0, 0, 2}, KernelEvent{1, 1, 2}, SyncEvent{}};
  for (const double time_us :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0})
    EXPECT_THROW(simulate_timeline(events, {10, time_us}, gpu()), std::logic_error) << time_us;
}

} // namespace
} // namespace kerncast::timeline
