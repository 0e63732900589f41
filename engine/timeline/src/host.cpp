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
      communicate_(std::move(communicate)) {}

void Host::run_until(double limit) {
  while (waits() || issued_all_ ? core_.step(limit) : act(limit)) {
  }
}

double Host::next_time() const {
  const double host = is_launching_ ? launch_at_ : std::numeric_limits<double>::infinity();
  return std::min(host, core_.next_end());
}

bool Host::waits() {
  const bool done = awaits_ == Awaits::nothing || (awaits_ == Awaits::everything && core_.is_idle()) ||
                    (awaits_ == Awaits::stream && core_.is_idle(awaited_)) ||
                    (awaits_ == Awaits::record && core_.is_complete(awaited_));
  if (done)
    awaits_ = Awaits::nothing;
  return !done;
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
  if (event != nullptr)
    std::visit(*this, *event);
  position_ += event != nullptr ? 1 : 0;
  return true;
}

void Host::issue_launch() {
  core_.issue(launching_.stream, durations_.kernels[launching_.launch], Engine::kernels, launching_.launch);
  is_launching_ = --launching_.repeat > 0;
  launch_at_ = core_.now() + durations_.launch_overhead;
}

void Host::operator()(const CopyEvent& copy) {
  core_.issue(copy.stream, durations_.copy(copy), engine_of(copy.kind));
  if (copy.memory == HostMemory::pageable) {
    awaits_ = Awaits::stream; // whose last item the copy is
    awaited_ = copy.stream;
  }
}

void Host::operator()(const KernelEvent& kernel) {
  assert(kernel.launch < durations_.kernels.size() && "every distinct launch has a time");
  launching_ = kernel;
  is_launching_ = kernel.repeat > 0;
  launch_at_ = core_.now() + durations_.launch_overhead;
}

void Host::operator()(const SyncEvent& /*sync*/) { awaits_ = Awaits::everything; }

void Host::operator()(const StreamSyncEvent& sync) {
  awaits_ = Awaits::stream;
  awaited_ = sync.stream;
}

void Host::operator()(const EventSyncEvent& sync) {
  const auto record = latest_record_.find(sync.cuda_event);
  if (record == latest_record_.end())
    return;
  awaits_ = Awaits::record;
  awaited_ = record->second;
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
