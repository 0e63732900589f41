#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

TEST(Spans, AreWhatHostAndStreamsDo) {
  // h2d 0..5; launch 0..2, kernel 5..15; the host waits 2..15 for stream 1 and 15..20 for a d2h of 4 us + 1
  // us
  const Timeline t =
      simulate_timeline({h2d(4000, 1), KernelEvent{0, 1, 1}, StreamSyncEvent{1}, d2h(4000, 2), SyncEvent{}},
                        {10}, gpu(), {}, 10);
  ASSERT_EQ(t.items.size(), 3U);
  EXPECT_EQ(t.items[0].engine, Engine::copy_to_device);
  EXPECT_EQ(t.items[0].number, 0U); // the event
  EXPECT_EQ(t.items[1].engine, Engine::kernels);
  EXPECT_EQ(t.items[1].stream, 1U);
  EXPECT_EQ(t.items[1].begin, 5);
  EXPECT_EQ(t.items[1].end, 15);
  EXPECT_EQ(t.items[2].number, 3U);
  ASSERT_EQ(t.host.size(), 3U);
  EXPECT_EQ(t.host[0].kind, HostSpan::Kind::launch);
  EXPECT_EQ(t.host[0].begin, 0);
  EXPECT_EQ(t.host[0].end, 2);
  EXPECT_EQ(t.host[1].kind, HostSpan::Kind::waits_for_stream);
  EXPECT_EQ(t.host[1].begin, 2);
  EXPECT_EQ(t.host[1].end, 15);
  EXPECT_EQ(t.host[2].kind, HostSpan::Kind::waits_for_everything);
  EXPECT_EQ(t.host[2].end, 20);
  EXPECT_FALSE(t.spans_cut);
}

TEST(Spans, AreNoMoreThanWereAskedFor) {
  const std::vector<Event> events = {KernelEvent{0, 0, 1000}};
  const Timeline cut = simulate_timeline(events, {10}, gpu(), {}, 30);
  EXPECT_EQ(cut.items.size() + cut.host.size(), 30U);
  EXPECT_TRUE(cut.spans_cut);
  const Timeline none = simulate_timeline(events, {10}, gpu());
  EXPECT_TRUE(none.items.empty() && none.host.empty());
  EXPECT_FALSE(none.spans_cut);
  EXPECT_EQ(cut.total_time_us, none.total_time_us);
}

TEST(Spans, OfCopiesTakeTheTimeOfTheirBytes) {
  // 1 us and a us per 1000 bytes each, in whatever order engines and streams let them run
  std::vector<Event> events;
  double bytes = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    events.emplace_back(i % 3 == 0 ? d2h(1000 * i + 1000, i % 4) : h2d(1000 * i + 1000, i % 4));
    bytes += 1000 * i + 1000;
  }
  for (const std::uint32_t engines : {0U, 1U, 2U}) {
    configs::Gpu with = gpu();
    with.copy_engines = engines;
    const Timeline t = simulate_timeline(events, {}, with, {}, 100);
    double sum = 0;
    for (const ItemSpan& span : t.items)
      sum += span.end - span.begin;
    EXPECT_DOUBLE_EQ(sum, 20 + bytes / 1000) << engines;
    if (engines < 2) {
      EXPECT_DOUBLE_EQ(t.copies_busy_us, sum) << engines;
    }
  }
}

} // namespace
} // namespace kerncast::timeline
