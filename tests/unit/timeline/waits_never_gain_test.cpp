// Random applications with and without what waits. Times are whole numbers, so sums are exact.
#include "../../timeline_gpu.h"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

namespace kerncast::timeline::waits {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

constexpr std::uint32_t streams = 4;
constexpr std::uint32_t cuda_events = 3;
const std::vector<double> kernel_time_us = {1, 3, 10};

using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); }

Event kernel(Random& random, std::uint32_t stream) { return KernelEvent{below(random, 3), stream, 1}; }

// Every stream has an engine of its own: stream 0 copies to the device, and so on.
Event of_own_engine(Random& random, std::uint32_t stream) {
  if (stream == 3)
    return kernel(random, stream);
  constexpr CopyKind kinds[] = {CopyKind::h2d, CopyKind::d2h, CopyKind::d2d};
  CopyEvent copy{kinds[stream], 2000 * std::uint64_t{1 + below(random, 6)}, stream};
  if (stream < 2 && below(random, 4) == 0)
    copy.memory = HostMemory::pageable;
  return copy;
}

Event waiting(Random& random) {
  const std::uint32_t cuda_event = below(random, cuda_events);
  const std::uint32_t stream = below(random, streams);
  switch (below(random, 8)) {
  case 0:
    return SyncEvent{};
  case 1:
    return StreamSyncEvent{stream};
  case 2:
    return EventSyncEvent{cuda_event};
  case 3:
  case 4:
    return EventRecordEvent{cuda_event, stream};
  default:
    return StreamWaitEvent{cuda_event, stream};
  }
}

std::vector<Event> application(Random& random, Event (*work)(Random&, std::uint32_t)) {
  std::vector<Event> events;
  for (int i = 0; i < 40; ++i)
    events.push_back(below(random, 2) == 0 ? waiting(random) : work(random, below(random, streams)));
  return events;
}

std::vector<Event> without_waits(const std::vector<Event>& events) {
  std::vector<Event> work;
  for (const Event& event : events)
    if (const auto* copy = std::get_if<CopyEvent>(&event))
      work.emplace_back(CopyEvent{copy->kind, copy->bytes, copy->stream});
    else if (std::holds_alternative<KernelEvent>(event))
      work.push_back(event);
  return work;
}

// The critical path leads to the end, whatever the application.
double total_us(const std::vector<Event>& events) {
  const Timeline t = simulate_timeline(events, kernel_time_us, gpu());
  const CriticalPath& path = t.critical_path;
  EXPECT_NEAR(path.kernels + path.copies + path.launches, t.total_time_us, 1e-9 * t.total_time_us);
  return t.total_time_us;
}

// Where no engine is shared, everything begins at the latest end of what it waits for.
struct Recurrence {
  double host = 0;
  std::array<double, streams> end{};
  std::array<double, cuda_events> recorded{};

  void work(std::uint32_t stream, double time_us) { end[stream] = std::max(end[stream], host) + time_us; }
  double latest() const { return *std::max_element(end.begin(), end.end()); }

  void operator()(const CopyEvent& copy) {
    work(copy.stream, copy_time_us(copy, gpu()));
    if (copy.memory == HostMemory::pageable)
      host = end[copy.stream];
  }
  void operator()(const KernelEvent& kernel) {
    host += 2;
    work(kernel.stream, kernel_time_us[kernel.launch]);
  }
  void operator()(const SyncEvent&) { host = std::max(host, latest()); }
  void operator()(const StreamSyncEvent& sync) { host = std::max(host, end[sync.stream]); }
  void operator()(const EventSyncEvent& sync) { host = std::max(host, recorded[sync.cuda_event]); }
  void operator()(const EventRecordEvent& record) { recorded[record.cuda_event] = end[record.stream]; }
  void operator()(const StreamWaitEvent& wait) {
    end[wait.stream] = std::max(end[wait.stream], recorded[wait.cuda_event]);
  }
  // One GPU talks to nobody.
  void operator()(const CommunicationEvent&) {}
  void operator()(const GroupEvent&) {}
  void operator()(const GraphEvent&) {} // tested by the same work in streams
};

TEST(Waits, OfStreamsWithEnginesOfTheirOwnFollowTheRecurrence) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Event> events = application(random, of_own_engine);
    Recurrence recurrence;
    for (const Event& event : events)
      std::visit(recurrence, event);
    EXPECT_EQ(total_us(events), std::max(recurrence.host, recurrence.latest())) << i;
    EXPECT_GE(total_us(events), total_us(without_waits(events))) << i;
  }
}

// The device is never idle while a kernel is ready.
TEST(Waits, OfKernelsNeverGain) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Event> events = application(random, kernel);
    EXPECT_GE(total_us(events), total_us(without_waits(events))) << i;
  }
}

// Engines take what is ready first, so a wait may put a kernel first that others wait for
// (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
TEST(Waits, CanGainWhereStreamsShareAnEngineAndUseOthers) {
  // Kernel 0 (1 us) is ready at 5 behind its copy, kernel 2 (10 us) at 4: 4..14, 14..15, copy 15..25.
  const Event copy_in = h2d(4000, 2);
  const Event first = KernelEvent{0, 2, 1};
  const Event second = KernelEvent{2, 1, 1};
  const Event copy_out = d2h(9000, 2);
  EXPECT_EQ(total_us({copy_in, first, second, copy_out}), 25);
  // Kernel 2 waits for kernel 0: 5..6, then kernel and copy 6..16.
  EXPECT_EQ(total_us({copy_in, first, EventRecordEvent{0, 2}, StreamWaitEvent{0, 1}, second, copy_out}), 16);
}

} // namespace
} // namespace kerncast::timeline::waits
