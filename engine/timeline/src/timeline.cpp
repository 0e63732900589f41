#include "timeline/timeline.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "event_core.h"

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

// The host: walks through the events and hands them to the core at the time it has come to.
class Host {
public:
  Host(const std::vector<double>& kernel_time_us, const configs::Gpu& gpu)
      : kernel_time_us_(kernel_time_us), gpu_(gpu) {}

  void operator()(const CopyEvent& copy) {
    core_.issue(copy.stream, copy_time_us(copy, gpu_), engine_of(copy.kind));
    if (copy.memory == HostMemory::pageable)
      core_.drain_stream(copy.stream); // whose last item the copy is
  }

  void operator()(const KernelEvent& kernel) {
    assert(kernel.launch < kernel_time_us_.size() && "every distinct launch has a time");
    for (std::uint64_t i = 0; i < kernel.repeat; ++i) {
      core_.advance_to(core_.now_us() + gpu_.launch_overhead_us);
      core_.issue(kernel.stream, kernel_time_us_[kernel.launch], Engine::kernels);
    }
  }

  void operator()(const SyncEvent&) { core_.drain(); }
  void operator()(const StreamSyncEvent& sync) { core_.drain_stream(sync.stream); }

  void operator()(const EventSyncEvent& sync) {
    if (const auto record = latest_record_.find(sync.cuda_event); record != latest_record_.end())
      core_.complete_record(record->second);
  }

  void operator()(const EventRecordEvent& record) {
    latest_record_[record.cuda_event] = core_.issue_record(record.stream);
  }

  void operator()(const StreamWaitEvent& wait) {
    if (const auto record = latest_record_.find(wait.cuda_event); record != latest_record_.end())
      core_.issue_wait(wait.stream, record->second);
  }

  Timeline finish() {
    core_.drain();
    return {std::max(core_.now_us(), core_.last_end_us()), core_.busy_us()};
  }

private:
  const std::vector<double>& kernel_time_us_;
  const configs::Gpu& gpu_;
  EventCore core_;
  std::unordered_map<std::uint32_t, std::uint32_t> latest_record_; // by CUDA event
};

// With such a time no event would ever be the next one to end.
void check_times(const std::vector<double>& kernel_time_us) {
  for (std::size_t i = 0; i < kernel_time_us.size(); ++i)
    if (!std::isfinite(kernel_time_us[i]) || kernel_time_us[i] < 0)
      throw std::logic_error("the time of distinct launch " + std::to_string(i) + " is " +
                             std::to_string(kernel_time_us[i]) + " us");
}

bool copies_pageable_memory(const Event& event) {
  const auto* copy = std::get_if<CopyEvent>(&event);
  return copy != nullptr && copy->memory == HostMemory::pageable;
}

} // namespace

std::vector<std::string> assumptions(const std::vector<Event>& events) {
  if (std::none_of(events.begin(), events.end(), copies_pageable_memory))
    return {};
  return {"copies from and to pageable memory: at the bandwidth of the host link, and the host waits for "
          "their end"};
}

Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu) {
  check_times(kernel_time_us);
  Host host(kernel_time_us, gpu);
  for (const Event& event : events)
    std::visit(host, event);
  return host.finish();
}

} // namespace kerncast::timeline
