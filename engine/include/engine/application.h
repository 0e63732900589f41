// An application: buffers, copies and kernel launches in streams; and what is predicted for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/kernel.h"
#include "memory_model/request.h"
#include "tasklist/launch.h"

namespace kerncast::engine {

enum class CopyKind : std::uint8_t { h2d, d2h, d2d, memset };

struct CopyEvent {
  CopyKind kind = CopyKind::h2d;
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
};

struct KernelEvent {
  std::uint32_t launch = 0; // index into the application's distinct launches
  std::uint32_t stream = 0;
  std::uint64_t repeat = 1;
};

struct SyncEvent {}; // the host waits for everything

using Event = std::variant<CopyEvent, KernelEvent, SyncEvent>;

// When everything of an application happens on one GPU.
struct Timeline {
  double total_time_us = 0; // end of the last event
  double gpu_busy_us = 0;   // some kernel or copy under way
};

// `kernel_time_us[i]` is the time of distinct launch i. Model: the host issues events in order, each launch
// costs launch_overhead_us of host time before the kernel may start; work in one stream runs in order;
// kernels of different streams run one after another (they share no SMs), copies in each direction have one
// engine and overlap with kernels of other streams.
Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu);

} // namespace kerncast::engine
