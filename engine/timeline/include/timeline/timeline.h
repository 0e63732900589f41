// When everything of an application happens on one GPU: a host, streams, copy engines and the device.
//
// The host issues events in their order. A kernel launch costs it launch_overhead_us before the kernel may
// start; issuing a copy costs nothing; a sync waits until all that was issued has ended. Work of one stream
// runs in order. Three copy engines (to the device, from the device, within the device) and the device
// itself take one item at a time, of those that are ready the one that was ready first (issued first, if
// they were ready together). So kernels of different streams run one after another: they share no SMs.
// Left out: the blocking of copies from pageable memory, the legacy meaning of stream 0, queue limits.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "configs/gpu.h"

namespace kerncast::timeline {

enum class CopyKind : std::uint8_t { h2d, d2h, d2d, memset };

struct CopyEvent {
  CopyKind kind = CopyKind::h2d;
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
};

struct KernelEvent {
  std::uint32_t launch = 0; // index into the application's distinct launches
  std::uint32_t stream = 0;
  std::uint64_t repeat = 1; // launches, one after another
};

struct SyncEvent {}; // the host waits for everything

using Event = std::variant<CopyEvent, KernelEvent, SyncEvent>;

struct Timeline {
  double total_time_us = 0; // end of the last event
  double gpu_busy_us = 0;   // some kernel or copy under way
};

// Time of one copy. Host copies: the link's latency and bandwidth. Within the device DRAM moves the bytes,
// twice (read and written) for d2d, once for memset.
double copy_time_us(const CopyEvent& copy, const configs::Gpu& gpu);

// `kernel_time_us[i]` is the time of distinct launch i. Throws std::logic_error where one is negative or not
// finite.
Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu);

} // namespace kerncast::timeline
