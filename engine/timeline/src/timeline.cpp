#include "timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "timeline/host.h"

namespace kerncast::timeline {
namespace {

std::uint8_t number_of(std::uint8_t device) { return device; }
std::uint8_t number_of(std::optional<std::uint8_t> device) { return device.value_or(0); }

// That the events name.
std::uint32_t devices_of(const std::vector<Event>& events) {
  std::uint32_t last = 0;
  for (const Event& event : events)
    std::visit(
        [&last](const auto& e) {
          if constexpr (requires { e.device; })
            last = std::max<std::uint32_t>(last, number_of(e.device));
          if constexpr (requires { e.to_device; })
            last = std::max<std::uint32_t>(last, e.to_device);
        },
        event);
  return last + 1;
}

void assume_graphs(const configs::GraphCosts& costs, std::vector<std::string>& texts) {
  if (costs.launch_overhead_us <= 0)
    texts.emplace_back(
        "a graph's launch costs the host as much as a kernel's (graph.launch_overhead_us is not "
        "known)");
  if (costs.node_overhead_us <= 0)
    texts.emplace_back("nodes of graphs start as soon as those before them have ended "
                       "(graph.node_overhead_us is not known)");
}

void assume_peer_copies(const configs::Gpu& gpu, std::vector<std::string>& texts) {
  texts.emplace_back(std::string("copies between GPUs: at the bandwidth of ") +
                     (gpu.nvlink.bandwidth_gbps() > 0 ? "NVLink" : "the host link") +
                     " and with the latency of the host link, one at a time from each GPU and to each GPU");
}

AssumedEvents assumed_events(const std::vector<Event>& events) {
  AssumedEvents assumed;
  for (const Event& event : events)
    assumed.add(event);
  return assumed;
}

} // namespace

void check_times(const std::vector<double>& kernel_time_us) {
  for (std::size_t i = 0; i < kernel_time_us.size(); ++i)
    if (!std::isfinite(kernel_time_us[i]) || kernel_time_us[i] < 0)
      throw std::logic_error("the time of distinct launch " + std::to_string(i) + " is " +
                             std::to_string(kernel_time_us[i]) + " us");
}

void AssumedEvents::add(const Event& event) {
  if (const auto* copy = std::get_if<CopyEvent>(&event)) {
    copies_pageable_memory_ = copies_pageable_memory_ || copy->memory == HostMemory::pageable;
    copies_to_peers_ = copies_to_peers_ || copy->kind == CopyKind::peer;
  } else if (const auto* kernel = std::get_if<KernelEvent>(&event)) {
    has_programmatic_launches_ = has_programmatic_launches_ || kernel->is_programmatic;
  } else {
    launches_graphs_ = launches_graphs_ || std::holds_alternative<GraphEvent>(event);
  }
}

std::vector<std::string> AssumedEvents::texts(const configs::Gpu& gpu, bool kernels_share) const {
  std::vector<std::string> texts;
  if (copies_pageable_memory_)
    texts.emplace_back("copies from and to pageable memory: at the bandwidth of the host link, and the host "
                       "waits for their end");
  if (copies_to_peers_)
    assume_peer_copies(gpu, texts);
  if (launches_graphs_)
    assume_graphs(gpu.graph, texts);
  if (kernels_share)
    texts.emplace_back(sharing_assumption);
  if (has_programmatic_launches_)
    texts.emplace_back(assumption_of_dependent_launches(gpu));
  return texts;
}

std::vector<std::string> assumptions(const std::vector<Event>& events, const Timeline& timeline,
                                     const configs::Gpu& gpu) {
  std::vector<std::string> texts = assumed_events(events).texts(gpu, timeline.kernels_shared);
  if (timeline.kernels_together)
    texts.emplace_back(together_assumption);
  return texts;
}

void set_copy_engines(EventCore& core, const configs::Gpu& gpu) {
  const Engine to_device = gpu.copy_engines == 0 ? Engine::kernels : Engine::copy_to_device;
  const Engine from_device = gpu.copy_engines < 2 ? to_device : Engine::copy_from_device;
  core.serve(Engine::copy_to_device, to_device);
  core.serve(Engine::copy_from_device, from_device);
  if (gpu.nvlink.bandwidth_gbps() <= 0) { // peers are reached over the host link
    core.serve(Engine::peer_copy, from_device);
    core.serve(Engine::peer_arrival, to_device);
  }
}

Timeline simulate_timeline(const std::vector<Event>& events, const std::vector<double>& kernel_time_us,
                           const configs::Gpu& gpu, std::span<const KernelShare> shares,
                           std::size_t max_spans, std::span<const KernelParts> parts,
                           const SimulatedTogether& together) {
  check_times(kernel_time_us);
  Timeline result;
  result.has_programmatic_launches = assumed_events(events).has_programmatic_launches();
  if (!result.has_programmatic_launches || !launches_dependents(gpu))
    parts = {};
  EventCore core;
  core.have_devices(devices_of(events));
  core.delay({gpu.kernel_gap_us, gpu.graph.node_overhead_us});
  core.share({shares, gpu.resident_grids, together});
  set_copy_engines(core, gpu);
  const auto source = [&](std::size_t& position) {
    return position < events.size() ? &events[position] : nullptr;
  };
  const Overheads launch = overheads(gpu);
  Host host(source,
            {kernel_time_us, launch.kernel_us, launch.graph_us,
             [&](const CopyEvent& copy) { return copy_time_us(copy, gpu); }, parts},
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
  result.kernels_together = core.has_run_together();
  result.early_prologues_us = core.early_prologues();
  return result;
}

} // namespace kerncast::timeline
