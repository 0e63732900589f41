// When everything of an application happens: a host thread, streams, copy engines and its GPU, or its GPUs,
// which are alike.
//
// The host issues events in their order. A kernel launch costs it launch_overhead_us before the kernel may
// start; issuing anything else costs nothing. Work of one stream runs in order, and between two of its
// kernels there is a gap of kernel_gap_us at least: published times of rows of small kernels are the kernel's
// time and a constant, on GPUs where both were measured (tests/data/measured/small_kernels.csv). Copies to
// the device, those from it, and what is copied or set within it run one at a time, of those that are ready
// the one that was ready first (issued first, if they were ready together). A GPU with one copy engine has no
// second one for the other direction, and without any it copies while no kernel runs (CUDA Runtime API,
// cudaDeviceProp, asyncEngineCount); more than two find nothing to do, since each direction of the link is
// one. Kernels take turns too, or share the GPU: sharing.h. Some may start before the kernel before them in
// their stream has ended: dependent_launch.h.
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
//
// A graph (CUDA C++ Programming Guide, "CUDA Graphs") costs the host one launch, after which its nodes start
// as soon as those before them have ended, each the GPU's graph.node_overhead_us later. Its nodes are those
// of a captured stream, and what was captured of others: the first stream of the graph is the one that it is
// launched to, the others begin with it, and the stream goes on when all of them have ended. A graph does not
// run beside itself: a launch to another stream waits for the one before.
//
// Of copies to another GPU's memory one at a time leaves each GPU, and one at a time comes to each: over
// NVLink where the GPU's description states it, else over the host link, in turn with copies to and from the
// host. Left out: the legacy meaning of stream 0, queue limits. Ranks of a cluster and what they tell each
// other: ranks/ranks.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "configs/gpu.h"
#include "timeline/communication.h"
#include "timeline/event_core.h"
#include "timeline/host_span.h"
#include "timeline/kernel_parts.h"

namespace kerncast::timeline {

enum class CopyKind : std::uint8_t { h2d, d2h, d2d, memset, peer };
enum class HostMemory : std::uint8_t { pinned, pageable };

struct CopyEvent {
  CopyKind kind = CopyKind::h2d;
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
  HostMemory memory = HostMemory::pinned; // of h2d and d2h
  std::uint8_t device = 0;                // whose memory; of a peer copy: that it is read from
  std::uint8_t to_device = 0;             // of a peer copy
};

struct KernelEvent {
  std::uint32_t launch = 0; // index into the application's distinct launches
  std::uint32_t stream = 0;
  std::uint64_t repeat = 1; // launches, one after another
  std::uint8_t device = 0;
  bool is_programmatic = false; // programmatic stream serialization: dependent_launch.h
};

struct SyncEvent { // the host waits for everything of a device (cudaDeviceSynchronize), or of all
  std::optional<std::uint8_t> device;
};

struct StreamSyncEvent { // the host waits for a stream (cudaStreamSynchronize)
  std::uint32_t stream = 0;
};

struct EventSyncEvent { // the host waits for a CUDA event (cudaEventSynchronize)
  std::uint32_t cuda_event = 0;
};

struct EventRecordEvent { // cudaEventRecord
  std::uint32_t cuda_event = 0;
  std::uint32_t stream = 0;
  std::uint8_t device = 0; // the stream's
};

struct StreamWaitEvent { // cudaStreamWaitEvent
  std::uint32_t cuda_event = 0;
  std::uint32_t stream = 0;
  std::uint8_t device = 0; // the stream's
};

// What stands between the begin and the end of a graph's launch are its nodes, and what they wait for.
struct GraphEvent {
  bool begins = true;
  std::uint32_t graph = 0;
  std::uint32_t stream = 0; // that it is launched to
};

using Event = std::variant<CopyEvent, KernelEvent, SyncEvent, StreamSyncEvent, EventSyncEvent,
                           EventRecordEvent, StreamWaitEvent, CommunicationEvent, GroupEvent, GraphEvent>;

// Streams of an application by their numbers: those of device d begin at d * device_streams; from
// first_graph_stream up to the next device's lie those that graphs use beside the one they are launched to.
inline constexpr std::uint32_t device_streams = 1U << 20;
inline constexpr std::uint32_t first_graph_stream = 1'000'001;
inline constexpr std::uint32_t max_devices = 256;
// Member m of a group that stands in stream s has stream (m + 1) * device_streams + s.
inline constexpr std::uint32_t max_group_members = 2046;

struct Timeline {
  double total_time_us = 0; // end of the last event
  double gpu_busy_us = 0;   // some kernel or copy under way
  double kernels_busy_us = 0;
  double copies_busy_us = 0;
  bool kernels_shared = false;   // some of them a GPU, by their shares
  bool kernels_together = false; // some of them a GPU, as SimulatedTogether says
  bool has_programmatic_launches = false;
  double early_prologues_us = 0; // time of prologues before what they wait for, summed over launches
  CriticalPath critical_path;    // its parts add up to the total time
  // The first ones in the order of their ends, of both together as many as were asked for.
  std::vector<ItemSpan> items;
  std::vector<HostSpan> host;
  bool spans_cut = false; // there are more
};

// Time of one copy. Host copies: the link's latency and bandwidth. Within the device DRAM moves the bytes,
// twice (read and written) for d2d, once for memset. To another GPU: the latency of the host link, and
// NVLink's bandwidth, or the host link's without it.
double copy_time_us(const CopyEvent& copy, const configs::Gpu& gpu);

// Whose work takes turns on one engine, as the GPU has engines for copies.
void set_copy_engines(EventCore& core, const configs::Gpu& gpu);

// Throws std::logic_error where a time is negative or not finite: no event would ever be the next one to end.
void check_times(const std::vector<double>& kernel_time_us);

// `kernel_time_us[i]` is the time of distinct launch i alone, as check_times allows it, `shares[i]` what it
// takes of the GPU, and `parts[i]` where it may overlap with others of its stream; without shares every
// kernel takes all of the GPU, and without parts no launch is early. `together`: what becomes of kernels that
// overlap; without it shares decide. Events of ranks that talk to others do not occur.
Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu, std::span<const KernelShare> shares = {},
                           std::size_t max_spans = 0, std::span<const KernelParts> parts = {},
                           const SimulatedTogether& together = {});

// What of events is modelled by assumption, on one GPU or on those of ranks.
class AssumedEvents {
public:
  void add(const Event& event);
  std::vector<std::string> texts(const configs::Gpu& gpu, bool kernels_share) const;
  bool has_programmatic_launches() const { return has_programmatic_launches_; }

private:
  bool copies_pageable_memory_ = false;
  bool copies_to_peers_ = false;
  bool launches_graphs_ = false;
  bool has_programmatic_launches_ = false;
};

// What such a timeline of these events on the GPU assumes.
std::vector<std::string> assumptions(const std::vector<Event>& events, const Timeline& timeline,
                                     const configs::Gpu& gpu);

} // namespace kerncast::timeline
