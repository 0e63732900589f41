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

bool is_programmatic_launch(const Event& event) {
  const auto* kernel = std::get_if<KernelEvent>(&event);
  return kernel != nullptr && kernel->is_programmatic;
}

} // namespace

void check_times(const std::vector<double>& kernel_time_us) {
  for (std::size_t i = 0; i < kernel_time_us.size(); ++i)
    if (!std::isfinite(kernel_time_us[i]) || kernel_time_us[i] < 0)
      throw std::logic_error("the time of distinct launch " + std::to_string(i) + " is " +
                             std::to_string(kernel_time_us[i]) + " us");
}

std::vector<std::string> assumptions(const std::vector<Event>& events, const Timeline& timeline) {
  std::vector<std::string> texts;
  if (std::any_of(events.begin(), events.end(), copies_pageable_memory))
    texts.emplace_back("copies from and to pageable memory: at the bandwidth of the host link, and the host "
                       "waits for their end");
  if (timeline.kernels_shared)
    texts.emplace_back(sharing_assumption);
  if (timeline.has_programmatic_launches)
    texts.emplace_back(timeline.launches_dependents ? dependent_launch_assumption
                                                    : no_dependent_launch_assumption);
  return texts;
}

void set_copy_engines(EventCore& core, const configs::Gpu& gpu) {
  if (gpu.copy_engines == 1)
    core.serve(Engine::copy_from_device, Engine::copy_to_device);
  if (gpu.copy_engines > 0)
    return;
  core.serve(Engine::copy_to_device, Engine::kernels);
  core.serve(Engine::copy_from_device, Engine::kernels);
}

Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu, std::span<const KernelShare> shares,
                           std::size_t max_spans, std::span<const KernelParts> parts) {
  check_times(kernel_time_us);
  Timeline result;
  result.has_programmatic_launches = std::any_of(events.begin(), events.end(), is_programmatic_launch);
  result.launches_dependents = launches_dependents(gpu);
  const bool may_be_early = result.has_programmatic_launches && result.launches_dependents;
  EventCore core;
  core.share({shares, gpu.resident_grids});
  set_copy_engines(core, gpu);
  const auto source = [&](std::size_t& position) {
    return position < events.size() ? &events[position] : nullptr;
  };
  Host host(source,
            {kernel_time_us, gpu.launch_overhead_us,
             [&](const CopyEvent& copy) { return copy_time_us(copy, gpu); },
             may_be_early ? parts : std::span<const KernelParts>{}},
            core);
  const auto keep = [&](auto& spans, const auto& span) {
    if (result.items.size() + result.host.size() < max_spans)
      spans.push_back(span);
    else
      result.spans_cut = true;
  };
  if (max_spans > 0) {
    core.observe([&](const ItemSpan& span) { keep(result.items, DependentLaunches::in_stream(span)); });
    host.observe([&](const HostSpan& span) { keep(result.host, span); });
  }
  host.run_until(std::numeric_limits<double>::infinity());
  result.total_time_us = std::max(core.now(), core.last_end());
  result.gpu_busy_us = core.busy().any;
  result.kernels_busy_us = core.busy().kernels;
  result.copies_busy_us = core.busy().copies;
  result.critical_path = core.path();
  result.kernels_shared = core.has_shared();
  result.early_prologues_us = core.early_prologues();
  return result;
}

} // namespace kerncast::timeline
