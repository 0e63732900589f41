#include "test_gpu.h"

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
  linked.nvlink.bandwidth_gbps = 4;
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
  linked.nvlink.bandwidth_gbps = 1;
  EXPECT_EQ(timeline(both, linked).total_time_us, 5);
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

TEST(Devices, WithoutAnyWorkAreIdle) { EXPECT_EQ(timeline({here, SyncEvent{1}, here}).total_time_us, 22); }

TEST(PeerCopy, IsAnAssumption) { EXPECT_EQ(assumptions({peer(4000, 0, 0, 1)}, {}, gpu()).size(), 1U); }

} // namespace
} // namespace kerncast::timeline
