#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

void expect_path(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                 const CriticalPath& expected) {
  const CriticalPath path = simulate_timeline(events, kernel_time_us, gpu()).critical_path;
  EXPECT_DOUBLE_EQ(path.kernels, expected.kernels);
  EXPECT_DOUBLE_EQ(path.copies, expected.copies);
  EXPECT_DOUBLE_EQ(path.launches, expected.launches);
  EXPECT_EQ(path.communication, 0);
}

TEST(CriticalPath, FollowsAStream) {
  // h2d 0..5, kernel 5..15, d2h 15..18; the launch hides behind the first copy
  expect_path({h2d(4000), KernelEvent{0, 0, 1}, d2h(2000)}, {10}, {.kernels = 10, .copies = 8});
}

TEST(CriticalPath, IsTheHostsWhereKernelsAreShort) {
  // launched at 2, 4, 6; the last one ends at 6.5
  expect_path({KernelEvent{0, 0, 3}}, {0.5}, {.kernels = 0.5, .launches = 6});
}

TEST(CriticalPath, ShowsTheOverheadThatASyncExposes) {
  // kernel 2..12, launch 12..14, kernel 14..24
  expect_path({KernelEvent{0, 0, 1}, SyncEvent{}, KernelEvent{0, 0, 1}}, {10},
              {.kernels = 20, .launches = 4});
}

TEST(CriticalPath, GoesThroughAnEngineThatIsShared) {
  // stream 1's kernel waits for stream 0's: 2..12, 12..22
  expect_path({KernelEvent{0, 0, 1}, KernelEvent{0, 1, 1}}, {10}, {.kernels = 20, .launches = 2});
}

TEST(CriticalPath, GoesThroughAnEvent) {
  // copy of stream 0 0..10; stream 1's kernel, launched at 2, waits for it: 10..20
  expect_path({h2d(9000), EventRecordEvent{0, 0}, StreamWaitEvent{0, 1}, KernelEvent{0, 1, 1}}, {10},
              {.kernels = 10, .copies = 10});
}

TEST(CriticalPath, GoesThroughTheHostsWait) {
  // The host waits for stream 0's copy 0..10 only, launches 10..12, kernel 12..22; stream 1's copy ends at 6.
  expect_path({h2d(9000), d2h(5000, 1), StreamSyncEvent{0}, KernelEvent{0, 0, 1}}, {10},
              {.kernels = 10, .copies = 10, .launches = 2});
  // For stream 1's record, at 6: launch 6..8, kernel of stream 2 8..18
  expect_path({h2d(9000), d2h(5000, 1), EventRecordEvent{0, 1}, EventSyncEvent{0}, KernelEvent{0, 2, 1}},
              {10}, {.kernels = 10, .copies = 6, .launches = 2});
}

TEST(CriticalPath, LeavesOutWhatRunsBeside) {
  // kernel 2..12 beside a copy 2..7
  expect_path({KernelEvent{0, 0, 1}, h2d(4000, 1)}, {10}, {.kernels = 10, .launches = 2});
}

} // namespace
} // namespace kerncast::timeline
