#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

TEST(ManyLaunches, AMillionRepeatsGiveTheClosedForm) {
  // kernels of 3 us behind launches of 2 us: 2 + 1,000,000 * 3
  const Timeline t = simulate_timeline({KernelEvent{0, 0, 1'000'000}}, {3}, test::gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 3e6);
  EXPECT_DOUBLE_EQ(t.gpu_busy_us, 3e6);
}

TEST(ManyLaunches, AMillionEventsInFourStreamsGiveTheClosedForm) {
  // One device: 2 + 1,000,000 * 3, whatever the streams.
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 1'000'000; ++i)
    events.emplace_back(KernelEvent{0, i % 4, 1});
  const Timeline t = simulate_timeline(events, {3}, test::gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 3e6);
}

TEST(ManyLaunches, AMillionWaitsBetweenTwoStreamsGiveTheClosedForm) {
  // Kernels of 3 us in turn, each behind the one of the other stream: 2 + 1,000,000 * 3.
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    events.emplace_back(KernelEvent{0, i % 2, 1});
    events.emplace_back(EventRecordEvent{i % 2, i % 2});
    events.emplace_back(StreamWaitEvent{i % 2, (i + 1) % 2});
  }
  const Timeline t = simulate_timeline(events, {3}, test::gpu());
  EXPECT_DOUBLE_EQ(t.total_time_us, 2 + 3e6);
}

} // namespace
} // namespace kerncast::timeline
