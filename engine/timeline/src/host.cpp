#include "timeline/host.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace kerncast::timeline {
namespace {

Engine engine_of(CopyKind kind) {
  switch (kind) {
  case CopyKind::h2d:
    return Engine::copy_to_device;
  case CopyKind::d2h:
    return Engine::copy_from_device;
  case CopyKind::d2d:
  case CopyKind::memset:
    return Engine::copy_within_device;
  case CopyKind::peer:
    return Engine::peer_copy;
  }
  return Engine::copy_within_device;
}

} // namespace

Overheads overheads(const configs::Gpu& gpu) {
  const double graph_us = gpu.graph.launch_overhead_us;
  return {gpu.launch_overhead_us, graph_us > 0 ? graph_us : gpu.launch_overhead_us};
}

Host::Host(Source source, Durations durations, EventCore& core, Communicate communicate)
    : source_(std::move(source)), durations_(std::move(durations)), core_(core),
      dependents_(core, durations_.parts), communicate_(std::move(communicate)), graph_(core) {}

void Host::run_until(double limit) {
  while (waits() || issued_all_ ? core_.step(limit) : act(limit)) {
  }
}

double Host::next_time() const {
  const double host =
      launches_what_ != Launching::nothing ? launch_at_ : std::numeric_limits<double>::infinity();
  return std::min(host, core_.next_change());
}

void Host::await(Awaits what, std::uint32_t number) {
  awaits_ = what;
  awaited_ = number;
  waits_since_ = core_.now();
}

bool Host::has_come() const {
  switch (awaits_) {
  case Awaits::nothing:
    return true;
  case Awaits::everything:
    return core_.is_idle();
  case Awaits::device:
    return core_.is_device_idle(static_cast<std::uint8_t>(awaited_));
  case Awaits::stream:
    return core_.is_idle(awaited_);
  case Awaits::record:
    return core_.is_complete(awaited_);
  }
  return true;
}

// What it awaited has come; if that took time, it is what leads to what the host does next.
void Host::go_on() {
  const Awaits what = std::exchange(awaits_, Awaits::nothing);
  if (core_.now() == waits_since_)
    return;
  if (what == Awaits::everything) {
    path_ = core_.path();
    report(HostSpan::Kind::waits_for_everything, 0, waits_since_);
  } else if (what == Awaits::device) {
    path_ = core_.path(); // what ended last was of this device: until then it was not idle
    report(HostSpan::Kind::waits_for_device, awaited_, waits_since_);
  } else if (what == Awaits::stream) {
    path_ = core_.path_of_stream(awaited_);
    report(HostSpan::Kind::waits_for_stream, awaited_, waits_since_);
  } else {
    path_ = core_.path_of_record(awaited_);
    report(HostSpan::Kind::waits_for_record, awaited_, waits_since_);
  }
}

void Host::report(HostSpan::Kind kind, std::uint32_t number, double begin) const {
  if (observer_)
    observer_({kind, number, begin, core_.now()});
}

bool Host::waits() {
  if (!has_come())
    return true;
  if (awaits_ != Awaits::nothing)
    go_on();
  return false;
}

// False: there is nothing more to do up to the limit.
bool Host::act(double limit) {
  if (launches_what_ != Launching::nothing) {
    if (launch_at_ > limit)
      return core_.step(limit);
    core_.advance_to(launch_at_);
    issue_launch();
    return true;
  }
  const Event* event = source_(position_);
  issued_all_ = event == nullptr;
  core_.set_cause(path_);
  if (event != nullptr)
    std::visit(*this, *event);
  position_ += event != nullptr ? 1 : 0;
  return true;
}

void Host::begin_launch(Launching what, double overhead) {
  launches_what_ = what;
  launch_at_ = core_.now() + overhead;
}

void Host::issue_launch() {
  const bool is_graph = launches_what_ == Launching::graph;
  const double overhead = is_graph ? durations_.graph_launch_overhead : durations_.launch_overhead;
  path_.launches += overhead;
  report(is_graph ? HostSpan::Kind::graph_launch : HostSpan::Kind::launch,
         is_graph ? launching_graph_.graph : launching_.launch, core_.now() - overhead);
  core_.set_cause(path_);
  launches_what_ = Launching::nothing;
  if (is_graph)
    return graph_.begin(launching_graph_);
  issue_kernel(launching_);
  if (--launching_.repeat > 0)
    begin_launch(Launching::kernel, durations_.launch_overhead);
}

void Host::issue_kernel(const KernelEvent& kernel) {
  dependents_.issue({.launch = kernel.launch,
                     .stream = graph_.stream_of(kernel.stream, kernel.device),
                     .device = kernel.device,
                     .is_programmatic = kernel.is_programmatic,
                     .is_node = graph_.is_open(),
                     .duration = durations_.kernels[kernel.launch]});
}

void Host::operator()(const CopyEvent& copy) {
  const std::uint32_t stream = graph_.stream_of(copy.stream, copy.device);
  const auto number = static_cast<std::uint32_t>(position_);
  const double duration = durations_.copy(copy);
  if (copy.kind == CopyKind::peer)
    core_.issue_peer_copy(stream, duration, number, copy.device, copy.to_device, graph_.is_open());
  else
    core_.issue(stream, duration, engine_of(copy.kind), number, copy.device, graph_.is_open());
  if (copy.memory == HostMemory::pageable)
    await(Awaits::stream, copy.stream); // whose last item the copy is
}

void Host::operator()(const KernelEvent& kernel) {
  assert(kernel.launch < durations_.kernels.size() && "every distinct launch has a time");
  if (graph_.is_open()) {
    for (std::uint64_t i = 0; i < kernel.repeat; ++i)
      issue_kernel(kernel);
    return;
  }
  launching_ = kernel;
  if (kernel.repeat > 0)
    begin_launch(Launching::kernel, durations_.launch_overhead);
}

void Host::operator()(const GraphEvent& graph) {
  if (!graph.begins)
    return graph_.end();
  launching_graph_ = graph;
  begin_launch(Launching::graph, durations_.graph_launch_overhead);
}

void Host::operator()(const SyncEvent& sync) {
  if (sync.device)
    await(Awaits::device, *sync.device);
  else
    await(Awaits::everything);
}

void Host::operator()(const StreamSyncEvent& sync) { await(Awaits::stream, sync.stream); }

void Host::operator()(const EventSyncEvent& sync) {
  const auto record = latest_record_.find(sync.cuda_event);
  if (record != latest_record_.end())
    await(Awaits::record, record->second);
}

void Host::operator()(const EventRecordEvent& record) {
  latest_record_[record.cuda_event] =
      core_.issue_record(graph_.stream_of(record.stream, record.device), record.device);
}

void Host::operator()(const StreamWaitEvent& wait) {
  if (const auto record = latest_record_.find(wait.cuda_event); record != latest_record_.end())
    core_.issue_wait(graph_.stream_of(wait.stream, wait.device), record->second, wait.device);
}

// A rank has one GPU, device 0. A member of a group has a stream of its own, which waits for the group's
// stream to come to the group.
void Host::operator()(const CommunicationEvent& event) {
  assert(communicate_ && "only ranks of a cluster communicate");
  const std::uint32_t of_event = graph_.stream_of(event.stream, 0);
  if (!in_group_)
    return communicate_(event, position_, of_event);
  const auto member = static_cast<std::uint32_t>(group_records_.size());
  const std::uint32_t stream = (member + 1) * device_streams + of_event;
  core_.issue_wait(stream, group_begin_, 0);
  communicate_(event, position_, stream);
  group_records_.push_back(core_.issue_record(stream, 0));
}

void Host::operator()(const GroupEvent& group) {
  in_group_ = group.begins;
  const std::uint32_t stream = graph_.stream_of(group.stream, 0);
  if (group.begins) {
    group_begin_ = core_.issue_record(stream, 0);
    return;
  }
  for (const std::uint32_t record : group_records_)
    core_.issue_wait(stream, record, 0);
  group_records_.clear();
}

} // namespace kerncast::timeline
