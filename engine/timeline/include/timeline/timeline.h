// When everything of an application happens on one GPU: a host, streams, copy engines and the device.
//
// The host issues events in their order. A kernel launch costs it launch_overhead_us before the kernel may
// start; issuing anything else costs nothing. Work of one stream runs in order. Copies to the device, those
// from it, and what is copied or set within it run one at a time, of those that are ready the one that was
// ready first (issued first, if they were ready together). A GPU with one copy engine has no second one for
// the other direction, and without any it copies while no kernel runs (CUDA Runtime API, cudaDeviceProp,
// asyncEngineCount); more than two find nothing to do, since each direction of the link is one. Kernels take
// turns too, or share the GPU: sharing.h. Some may start before the kernel before them in their stream has
// ended: dependent_launch.h.
//
// CUDA events, and what the host waits for (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution":
// "Streams", "Events", "Synchronous Calls"; Runtime API, "Event Management"): a record is complete once all
// earlier work of its stream has ended. A stream's wait holds its later work until the latest record issued
// before the wait is complete; records issued later do not matter to it, and without any record it holds
// nothing. Records and waits themselves take no time. The host waits for everything, for what was issued to a
// stream, or for an event's latest record.
//
// Copies from and to pageable memory block the host until they have ended (Driver API, "API synchronization
// behavior"). There the driver may return earlier from one to the device, once the bytes are staged in pinned
// memory: how fast it stages them is not published, so that is left out, and the bandwidth is assumed to be
// the link's.
// Left out: the legacy meaning of stream 0, queue limits, graphs. Ranks of a cluster and what they tell each
// other: ranks/ranks.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "configs/gpu.h"
#include "timeline/communication.h"
#include "timeline/dependent_launch.h"
#include "timeline/event_core.h"
#include "timeline/host_span.h"

namespace kerncast::timeline {

enum class CopyKind : std::uint8_t { h2d, d2h, d2d, memset };
enum class HostMemory : std::uint8_t { pinned, pageable };

struct CopyEvent {
  CopyKind kind = CopyKind::h2d;
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
  HostMemory memory = HostMemory::pinned; // of h2d and d2h
};

struct KernelEvent {
  std::uint32_t launch = 0; // index into the application's distinct launches
  std::uint32_t stream = 0;
  std::uint64_t repeat = 1;     // launches, one after another
  bool is_programmatic = false; // programmatic stream serialization: dependent_launch.h
};

struct SyncEvent {}; // the host waits for everything (cudaDeviceSynchronize)

struct StreamSyncEvent { // the host waits for a stream (cudaStreamSynchronize)
  std::uint32_t stream = 0;
};

struct EventSyncEvent { // the host waits for a CUDA event (cudaEventSynchronize)
  std::uint32_t cuda_event = 0;
};

struct EventRecordEvent { // cudaEventRecord
  std::uint32_t cuda_event = 0;
  std::uint32_t stream = 0;
};

struct StreamWaitEvent { // cudaStreamWaitEvent
  std::uint32_t cuda_event = 0;
  std::uint32_t stream = 0;
};

using Event = std::variant<CopyEvent, KernelEvent, SyncEvent, StreamSyncEvent, EventSyncEvent,
                           EventRecordEvent, StreamWaitEvent, CommunicationEvent, GroupEvent>;

struct Timeline {
  double total_time_us = 0; // end of the last event
  double gpu_busy_us = 0;   // some kernel or copy under way
  double kernels_busy_us = 0;
  double copies_busy_us = 0;
  bool kernels_shared = false; // some of them the GPU
  bool has_programmatic_launches = false;
  bool launches_dependents = false; // the GPU does
  double early_prologues_us = 0;    // time of prologues before what they wait for, summed over launches
  CriticalPath critical_path;       // its parts add up to the total time
  // The first ones in the order of their ends, of both together as many as were asked for.
  std::vector<ItemSpan> items;
  std::vector<HostSpan> host;
  bool spans_cut = false; // there are more
};

// Time of one copy. Host copies: the link's latency and bandwidth. Within the device DRAM moves the bytes,
// twice (read and written) for d2d, once for memset.
double copy_time_us(const CopyEvent& copy, const configs::Gpu& gpu);

// Whose work takes turns on one engine, as the GPU has engines for copies.
void set_copy_engines(EventCore& core, const configs::Gpu& gpu);

// Throws std::logic_error where a time is negative or not finite: no event would ever be the next one to end.
void check_times(const std::vector<double>& kernel_time_us);

// `kernel_time_us[i]` is the time of distinct launch i alone, as check_times allows it, `shares[i]` what it
// takes of the GPU, and `parts[i]` where it may overlap with others of its stream; without shares every
// kernel takes all of the GPU, and without parts no launch is early. Events of ranks that talk to others do
// not occur.
Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu, std::span<const KernelShare> shares = {},
                           std::size_t max_spans = 0, std::span<const KernelParts> parts = {});

// What such a timeline of these events assumes.
std::vector<std::string> assumptions(const std::vector<Event>& events, const Timeline& timeline);

} // namespace kerncast::timeline
