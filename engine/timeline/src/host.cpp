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
  }
  return Engine::copy_within_device;
}

} // namespace

Host::Host(Source source, Durations durations, EventCore& core, Communicate communicate)
    : source_(std::move(source)), durations_(std::move(durations)), core_(core),
      dependents_(core, durations_.parts), communicate_(std::move(communicate)) {}

void Host::run_until(double limit) {
  while (waits() || issued_all_ ? core_.step(limit) : act(limit)) {
  }
}

double Host::next_time() const {
  const double host = is_launching_ ? launch_at_ : std::numeric_limits<double>::infinity();
  return std::min(host, core_.next_end());
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
  if (is_launching_) {
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

void Host::issue_launch() {
  path_.launches += durations_.launch_overhead;
  report(HostSpan::Kind::launch, launching_.launch, core_.now() - durations_.launch_overhead);
  core_.set_cause(path_);
  dependents_.issue(launching_.stream, launching_.launch, durations_.kernels[launching_.launch],
                    launching_.is_programmatic);
  is_launching_ = --launching_.repeat > 0;
  launch_at_ = core_.now() + durations_.launch_overhead;
}

void Host::operator()(const CopyEvent& copy) {
  core_.issue(copy.stream, durations_.copy(copy), engine_of(copy.kind),
              static_cast<std::uint32_t>(position_));
  if (copy.memory == HostMemory::pageable)
    await(Awaits::stream, copy.stream); // whose last item the copy is
}

void Host::operator()(const KernelEvent& kernel) {
  assert(kernel.launch < durations_.kernels.size() && "every distinct launch has a time");
  launching_ = kernel;
  is_launching_ = kernel.repeat > 0;
  launch_at_ = core_.now() + durations_.launch_overhead;
}

void Host::operator()(const SyncEvent& /*sync*/) { await(Awaits::everything); }

void Host::operator()(const StreamSyncEvent& sync) { await(Awaits::stream, sync.stream); }

void Host::operator()(const EventSyncEvent& sync) {
  const auto record = latest_record_.find(sync.cuda_event);
  if (record != latest_record_.end())
    await(Awaits::record, record->second);
}

void Host::operator()(const EventRecordEvent& record) {
  latest_record_[record.cuda_event] = core_.issue_record(record.stream);
}

void Host::operator()(const StreamWaitEvent& wait) {
  if (const auto record = latest_record_.find(wait.cuda_event); record != latest_record_.end())
    core_.issue_wait(wait.stream, record->second);
}

// A member of a group has a stream of its own, which waits for the group's stream to come to the group.
void Host::operator()(const CommunicationEvent& event) {
  assert(communicate_ && "only ranks of a cluster communicate");
  if (!in_group_)
    return communicate_(event, position_, event.stream);
  const auto member = static_cast<std::uint32_t>(group_records_.size());
  const std::uint32_t stream = (member + 1) * group_streams + event.stream;
  core_.issue_wait(stream, group_begin_);
  communicate_(event, position_, stream);
  group_records_.push_back(core_.issue_record(stream));
}

void Host::operator()(const GroupEvent& group) {
  in_group_ = group.begins;
  if (group.begins) {
    group_begin_ = core_.issue_record(group.stream);
    return;
  }
  for (const std::uint32_t record : group_records_)
    core_.issue_wait(group.stream, record);
  group_records_.clear();
}

} // namespace kerncast::timeline
