#include "application_timeline.h"

#include <variant>

namespace kerncast::app {
namespace {

ApplicationTimeline::Copy copy_of(const timeline::ItemSpan& item, const PredictInput& input) {
  if (item.engine == timeline::Engine::kernels)
    return {};
  const auto& copy = std::get<timeline::CopyEvent>(input.events[item.number]);
  return {copy.kind, copy.bytes, copy.to_device};
}

bool is_one_kernel(const PredictInput& input) {
  return input.events.size() == 1 && std::holds_alternative<timeline::KernelEvent>(input.events.front());
}

} // namespace

ApplicationTimeline application_timeline(const PredictInput& input, const configs::Gpu& gpu,
                                         const Prediction& prediction,
                                         const std::vector<double>& kernel_times_us) {
  ApplicationTimeline out;
  out.gpu = prediction.gpu;
  out.app = prediction.app;
  out.graphs = input.graphs;
  out.devices = input.devices;
  out.copy_engines = gpu.copy_engines;
  out.timeline = prediction.timeline;
  for (std::size_t i = 0; i < input.launches.size(); ++i)
    out.launches.push_back({input.kernels[input.launches[i].kernel].list.kernel, kernel_times_us[i]});
  for (const timeline::ItemSpan& item : out.timeline->items)
    out.copies.push_back(copy_of(item, input));
  return out;
}

TimelineOf timeline_of(const PredictOptions& options, const PredictInput& input, bool on_cluster) {
  if (on_cluster)
    return TimelineOf::application;
  if (options.timeline_of != TimelineOf::unsaid)
    return options.timeline_of;
  return is_one_kernel(input) ? TimelineOf::sm : TimelineOf::application;
}

} // namespace kerncast::app
