#include "../../timeline_gpu.h"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

using test::gpu;

// Of device 1.
constexpr std::uint32_t other = device_streams;
const KernelEvent here{0, 0, 1, 0};
const KernelEvent there{0, other, 1, 1};

CopyEvent peer(std::uint64_t bytes, std::uint32_t stream, std::uint8_t from, std::uint8_t to) {
  return {CopyKind::peer, bytes, stream, HostMemory::pinned, from, to};
}

Timeline timeline(const std::vector<Event>& events, const configs::Gpu& on = gpu()) {
  return simulate_timeline(events, {10}, on);
}

TEST(Devices, RunTheirOwnKernels) {
  const Timeline t = timeline({here, there});
  EXPECT_EQ(t.total_time_us, 14); // 2..12, 4..14
  EXPECT_FALSE(t.kernels_shared);
  EXPECT_EQ(t.kernels_busy_us, 12); // some kernel on some device
}

TEST(Devices, HaveLinksOfTheirOwn) {
  const CopyEvent to_first{CopyKind::h2d, 4000, 0};
  const CopyEvent to_second{CopyKind::h2d, 4000, other, HostMemory::pinned, 1};
  EXPECT_EQ(timeline({to_first, to_first}).total_time_us, 10);
  EXPECT_EQ(timeline({to_first, to_second}).total_time_us, 5);
}

TEST(PeerCopy, TakesLatencyAndBandwidthOfItsLink) {
  EXPECT_EQ(timeline({peer(4000, 0, 0, 1)}).total_time_us, 5); // host link
  configs::Gpu linked = gpu();
  linked.nvlink = {2, 2};
  EXPECT_EQ(timeline({peer(4000, 0, 0, 1)}, linked).total_time_us, 2);
}

TEST(PeerCopy, LeavesItsDeviceOneAtATime) {
  EXPECT_EQ(timeline({peer(4000, 1, 0, 1), peer(4000, 2, 0, 1)}).total_time_us, 10);
  EXPECT_EQ(timeline({peer(4000, 1, 0, 1), peer(4000, other, 1, 0)}).total_time_us, 5);
  // Beside copies of the host.
  EXPECT_EQ(timeline({peer(4000, 1, 0, 1), CopyEvent{CopyKind::h2d, 4000, 2}}).total_time_us, 5);
}

TEST(PeerCopy, SharesTheHostLinkWithCopiesToTheHost) {
  const std::vector<Event> both = {peer(4000, 1, 0, 1), CopyEvent{CopyKind::d2h, 4000, 2}};
  EXPECT_EQ(timeline(both).total_time_us, 10);
  configs::Gpu linked = gpu();
  linked.nvlink = {1, 1};
  EXPECT_EQ(timeline(both, linked).total_time_us, 5);
}

configs::Gpu with_nvlink() {
  configs::Gpu linked = gpu();
  linked.nvlink = {2, 0.5};
  return linked;
}

std::uint32_t stream_of(std::uint8_t device) { return device * device_streams; }
CopyEvent between(std::uint8_t from, std::uint8_t to, std::uint64_t bytes = 4000) {
  return peer(bytes, stream_of(from), from, to);
}

TEST(PeerCopy, ArrivesAtItsDeviceOneAtATime) {
  for (const configs::Gpu& on : {gpu(), with_nvlink()}) {
    const Timeline t = timeline({between(0, 2), between(1, 2)}, on);
    EXPECT_EQ(t.total_time_us, 10); // 0..5, 5..10
    EXPECT_EQ(t.critical_path.copies, 10);
    EXPECT_EQ(timeline({between(0, 2), between(1, 3)}, on).total_time_us, 5);
    // One that could leave waits behind one that cannot arrive: 0..5, 5..10, 10..15.
    EXPECT_EQ(timeline({between(0, 2), between(1, 2), peer(4000, stream_of(1) + 1, 1, 3)}, on).total_time_us,
              15);
  }
}

TEST(PeerCopy, ArrivesOverTheHostLinkInTurnWithCopiesOfTheHost) {
  const std::vector<Event> both = {between(0, 1), CopyEvent{CopyKind::h2d, 4000, stream_of(1), {}, 1}};
  EXPECT_EQ(timeline(both).total_time_us, 10);
  EXPECT_EQ(timeline(both, with_nvlink()).total_time_us, 5);
}

TEST(PeerCopy, OfARingTravelAtTheSameTimeIfEachDirectionHasAnEngine) {
  const std::vector<Event> ring = {between(0, 1), between(1, 2), between(2, 0)};
  EXPECT_EQ(timeline(ring).total_time_us, 5);
  configs::Gpu one_engine = gpu();
  one_engine.copy_engines = 1;
  EXPECT_EQ(timeline(ring, one_engine).total_time_us, 15);
  one_engine.copy_engines = 0;
  EXPECT_EQ(timeline(ring, one_engine).total_time_us, 15);
}

// However they lie: each end takes one at a time, and none is waited for in vain.
TEST(PeerCopy, OfRandomExchangesKeepTheirEndsBusyOneByOne) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Event> events;
    std::array<double, 4> leaving{}, arriving{};
    double all = 0;
    for (int i = 0; i < 30; ++i) {
      const auto from = static_cast<std::uint8_t>(random() % 4);
      const auto to = static_cast<std::uint8_t>((from + 1 + random() % 3) % 4);
      const std::uint64_t bytes = 1000 * (1 + random() % 8);
      events.emplace_back(peer(bytes, stream_of(from) + static_cast<std::uint32_t>(random() % 5), from, to));
      const double us = 1 + static_cast<double>(bytes) / 1000;
      leaving[from] += us;
      arriving[to] += us;
      all += us;
    }
    const Timeline t = simulate_timeline(events, {}, with_nvlink(), {}, 1000);
    EXPECT_EQ(t.items.size(), events.size());
    EXPECT_GE(t.total_time_us,
              std::max(*std::ranges::max_element(leaving), *std::ranges::max_element(arriving)));
    EXPECT_LE(t.total_time_us, all);
    EXPECT_EQ(t.critical_path.copies, t.total_time_us); // something that ends leads to every start
    std::array<double, 4> left{}, arrived{};            // in the order of ends
    for (const ItemSpan& span : t.items) {
      const auto& copy = std::get<CopyEvent>(events[span.number]);
      EXPECT_GE(span.begin, left[copy.device]);
      EXPECT_GE(span.begin, arrived[copy.to_device]);
      left[copy.device] = arrived[copy.to_device] = span.end;
    }
  }
}

TEST(Devices, WaitForEachOther) {
  // kernel 2..12, copy 12..17, kernel of device 1 17..27
  const Timeline t =
      timeline({here, peer(4000, 0, 0, 1), EventRecordEvent{0, 0, 0}, StreamWaitEvent{0, other, 1}, there});
  EXPECT_EQ(t.total_time_us, 27);
  EXPECT_EQ(t.critical_path.copies, 5);
}

TEST(Devices, AreAwaitedOneByOne) {
  const KernelEvent twice_there{0, other, 2, 1};
  // launched 2, 4, 6: device 0 2..12, device 1 4..24; the host goes on at 12: 14..24
  EXPECT_EQ(timeline({here, twice_there, SyncEvent{0}, here}).total_time_us, 24);
  // or at 24: 26..36
  EXPECT_EQ(timeline({here, twice_there, SyncEvent{1}, here}).total_time_us, 36);
  EXPECT_EQ(timeline({here, twice_there, SyncEvent{}, here}).total_time_us, 36);
}

// A graph is work of the device whose stream it is launched to: kernel of device 1 2..12, of device 0 12..22,
// and the stream of device 1 goes on at 22. Launched at 24, the last kernel ends at 34; device 0 has nothing
// of the second.
TEST(Devices, AreAwaitedWithTheGraphsOfTheirStreams) {
  const std::vector<Event> both = {GraphEvent{true, 0, other},
                                   there,
                                   EventRecordEvent{0, other, 1},
                                   StreamWaitEvent{0, 1, 0},
                                   KernelEvent{0, 1, 1, 0},
                                   GraphEvent{false, 0, other},
                                   SyncEvent{1},
                                   KernelEvent{0, other + 5, 1, 1}};
  EXPECT_EQ(timeline(both).total_time_us, 34);
  const std::vector<Event> of_one = {GraphEvent{true, 0, other}, there, GraphEvent{false, 0, other},
                                     SyncEvent{0}, here};
  EXPECT_EQ(timeline(of_one).total_time_us, 14); // 2..12, 4..14
}

TEST(Devices, WithoutAnyWorkAreIdle) { EXPECT_EQ(timeline({here, SyncEvent{1}, here}).total_time_us, 22); }

TEST(PeerCopy, IsAnAssumption) { EXPECT_EQ(assumptions({peer(4000, 0, 0, 1)}, {}, gpu()).size(), 1U); }

} // namespace
} // namespace kerncast::timeline
