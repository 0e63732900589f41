// Programmatic dependent launch (CUDA C++ Programming Guide, "Programmatic Dependent Launch and
// Synchronization"; PTX ISA, griddepcontrol; from compute capability 9.0 on): a kernel that is launched with
// programmatic stream serialization may start when every CTA of the kernel before it in its stream has issued
// griddepcontrol.launch_dependents or has ended; at griddepcontrol.wait it waits for that kernel's end.
//
//   A  |-------trigger======|                    A in its stream, in two pieces
//   B           |--prologue|..|-----------|      B in a branch of the stream, keeping its room while it waits
//
// When a kernel triggers, and how long its prologue is, are what the kernel by itself does, as parts of its
// time. Prologues run if the GPU has room for them beside what else runs (sharing.h), else when it has. What
// comes behind a wait takes what it takes alone once all of the first wave have come there. A kernel that
// never waits ends in the order of its stream. The gap between two kernels of a stream (timeline.h) lies
// behind the trigger, so that it is hidden where the trigger comes early enough, room or not. Nothing is
// early behind anything but a kernel: copies, records and waits of the stream end the chain, and so do the
// begin and the end of a graph. Within a graph the edge of two kernels is programmatic (Runtime API,
// cudaGraphKernelNodePortProgrammatic), and a node's overhead lies behind the trigger. Left out: CTAs that
// start one by one as those of the kernel before end, and what the caches gain.
//
// A stream has two branches, which dependent kernels take in turn: so one can start while the kernel before
// it still has a prologue of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "timeline/event_core.h"
#include "timeline/kernel_parts.h"
#include "timeline/timeline.h"

namespace kerncast::timeline {

struct IssuedKernel {
  std::uint32_t launch = 0; // distinct
  std::uint32_t stream = 0; // of the core
  std::uint8_t device = 0;
  bool is_programmatic = false;
  bool is_node = false; // of a graph
  double duration = 0;
};

class DependentLaunches {
public:
  // By distinct launch; without any, nothing is early.
  DependentLaunches(EventCore& core, std::span<const KernelParts> parts) : core_(core), parts_(parts) {}

  // The host issues a kernel, now.
  void issue(const IssuedKernel& kernel);

  // The observed item, in the stream that the application knows and one of its branches.
  static ItemSpan in_stream(ItemSpan span);

private:
  struct Latest {                         // kernel of a stream
    std::uint64_t issue = 0;              // after which nothing else was
    std::optional<std::uint32_t> trigger; // record
    std::optional<std::uint32_t> end;     // record, of one in a branch
    std::uint32_t branch = 0;
  };

  Latest issue_dependent(const IssuedKernel& kernel, const Latest& before);
  std::optional<std::uint32_t> issue_pieces(std::uint32_t stream, const IssuedKernel& kernel,
                                            std::optional<std::uint32_t> end_before);

  EventCore& core_;
  std::span<const KernelParts> parts_;
  std::unordered_map<std::uint32_t, Latest> latest_; // by stream
};

} // namespace kerncast::timeline
