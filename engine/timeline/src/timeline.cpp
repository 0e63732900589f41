#include "timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "timeline/host.h"

namespace kerncast::timeline {
namespace {

bool copies_pageable_memory(const Event& event) {
  const auto* copy = std::get_if<CopyEvent>(&event);
  return copy != nullptr && copy->memory == HostMemory::pageable;
}

} // namespace

void check_times(const std::vector<double>& kernel_time_us) {
  for (std::size_t i = 0; i < kernel_time_us.size(); ++i)
    if (!std::isfinite(kernel_time_us[i]) || kernel_time_us[i] < 0)
      throw std::logic_error("the time of distinct launch " + std::to_string(i) + " is " +
                             std::to_string(kernel_time_us[i]) + " us");
}

std::vector<std::string> assumptions(const std::vector<Event>& events) {
  if (std::none_of(events.begin(), events.end(), copies_pageable_memory))
    return {};
  return {"copies from and to pageable memory: at the bandwidth of the host link, and the host waits for "
          "their end"};
}

Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu) {
  check_times(kernel_time_us);
  EventCore core;
  const auto source = [&](std::size_t& position) {
    return position < events.size() ? &events[position] : nullptr;
  };
  Host host(source,
            {kernel_time_us, gpu.launch_overhead_us,
             [&](const CopyEvent& copy) { return copy_time_us(copy, gpu); }},
            core);
  host.run_until(std::numeric_limits<double>::infinity());
  return {std::max(core.now(), core.last_end()), core.busy().any};
}

} // namespace kerncast::timeline
