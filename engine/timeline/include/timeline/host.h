// The host thread of an application: walks through the events of an application and hands them to the core at
// the time it has come to, as timeline.h describes. It can stop at any time and go on later.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "timeline/dependent_launch.h"
#include "timeline/event_core.h"
#include "timeline/graph_launch.h"
#include "timeline/timeline.h"

namespace kerncast::timeline {

// In the core's unit.
struct Durations {
  std::span<const double> kernels; // by distinct launch
  double launch_overhead = 0;
  double graph_launch_overhead = 0;
  std::function<double(const CopyEvent&)> copy;
  std::span<const KernelParts> parts = {}; // by distinct launch; none: no launch is early
};

// Of launches on the GPU.
struct Overheads {
  double kernel_us = 0;
  double graph_us = 0;
};
Overheads overheads(const configs::Gpu& gpu);

class Host {
public:
  using Observer = std::function<void(const HostSpan& span)>;
  // The event at the position, else the next one behind it, whose position then is given; null: no more.
  using Source = std::function<const Event*(std::size_t& position)>;
  // Issues what a communication needs to the stream.
  using Communicate =
      std::function<void(const CommunicationEvent& event, std::size_t position, std::uint32_t stream)>;

  Host(Source source, Durations durations, EventCore& core, Communicate communicate = {});

  void observe(Observer observer) { observer_ = std::move(observer); }
  // Everything up to the limit.
  void run_until(double limit);
  // Every event has been issued and has ended.
  bool has_ended() const { return issued_all_ && core_.is_idle(); }
  // When it or the core does something next, if nobody completes anything; infinite: never.
  double next_time() const;

  void operator()(const CopyEvent& copy);
  void operator()(const KernelEvent& kernel);
  void operator()(const SyncEvent& sync);
  void operator()(const StreamSyncEvent& sync);
  void operator()(const EventSyncEvent& sync);
  void operator()(const EventRecordEvent& record);
  void operator()(const StreamWaitEvent& wait);
  void operator()(const CommunicationEvent& event);
  void operator()(const GroupEvent& group);
  void operator()(const GraphEvent& graph);

private:
  enum class Awaits : std::uint8_t { nothing, everything, device, stream, record };
  enum class Launching : std::uint8_t { nothing, kernel, graph };

  bool waits();
  void await(Awaits what, std::uint32_t number = 0);
  bool has_come() const;
  void go_on();
  void report(HostSpan::Kind kind, std::uint32_t number, double begin) const;
  bool act(double limit);
  void begin_launch(Launching what, double overhead);
  void issue_launch();
  void issue_kernel(const KernelEvent& kernel);

  Source source_;
  Durations durations_;
  EventCore& core_;
  DependentLaunches dependents_;
  Communicate communicate_;
  Observer observer_;
  std::size_t position_ = 0;
  bool issued_all_ = false;
  Awaits awaits_ = Awaits::nothing;
  std::uint32_t awaited_ = 0; // device, stream or record
  double waits_since_ = 0;
  CriticalPath path_; // to what it does now
  Launching launches_what_ = Launching::nothing;
  KernelEvent launching_;      // what is left of a kernel event
  GraphEvent launching_graph_; // whose nodes are the events behind it
  double launch_at_ = 0;
  std::vector<std::uint32_t> group_records_; // of the group's members that have been issued
  std::uint32_t group_begin_ = 0;            // record
  bool in_group_ = false;
  GraphLaunch graph_;                                              // whose nodes are issued, if one is open
  std::unordered_map<std::uint32_t, std::uint32_t> latest_record_; // by CUDA event
};

} // namespace kerncast::timeline
