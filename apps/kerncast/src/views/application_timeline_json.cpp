#include "application_timeline_json.h"

#include <fmt/format.h>

#include "stream_names.h"
#include "trace_events.h"

namespace kerncast::app {
namespace {

using timeline::CopyKind;
using timeline::Engine;
using timeline::HostSpan;
using timeline::ItemSpan;

constexpr std::uint32_t host_process = 1;
constexpr std::uint32_t streams_process = 2;
constexpr std::uint32_t engines_process = 3;
constexpr std::string_view host_thread = "host thread";

std::string_view name_of(CopyKind kind) {
  switch (kind) {
  case CopyKind::h2d:
    return "copy to the device";
  case CopyKind::d2h:
    return "copy from the device";
  case CopyKind::d2d:
    return "copy within the device";
  case CopyKind::memset:
    return "memset";
  case CopyKind::peer:
    return "copy to another device";
  }
  return "";
}

constexpr std::uint32_t engines_of_device = 5;

struct EngineTrack {
  std::uint32_t track = 0;
  std::string_view name;
};

// As timeline::set_copy_engines gives them work. None: the copy takes the place of kernels.
EngineTrack engine_of(CopyKind kind, std::uint32_t copy_engines) {
  if (kind == CopyKind::d2d || kind == CopyKind::memset)
    return {2, "within the device"};
  if (kind == CopyKind::peer)
    return {3, "to other devices"};
  if (copy_engines < 2)
    return {0, copy_engines == 1 ? "copy engine" : "copies, while no kernel runs"};
  return kind == CopyKind::h2d ? EngineTrack{0, "copy engine to the device"}
                               : EngineTrack{1, "copy engine from the device"};
}

constexpr EngineTrack arrivals = {4, "from other devices"};

// With its device, where there are several.
std::string of_device(std::uint32_t device, std::string_view name, const ApplicationTimeline& timeline) {
  return timeline.devices == 1 ? std::string(name) : fmt::format("device {}: {}", device, name);
}

// The application's streams are those of their device by number; branches of graphs of that where they work.
std::string name_of_stream(std::uint32_t number, std::uint32_t branch_device,
                           const ApplicationTimeline& timeline) {
  const std::uint32_t stream = number % timeline::device_streams;
  const bool is_branch = stream >= timeline::first_graph_stream;
  return of_device(is_branch ? branch_device : number / timeline::device_streams, stream_name(stream),
                   timeline);
}

std::string name_of(const HostSpan& span, const ApplicationTimeline& timeline) {
  switch (span.kind) {
  case HostSpan::Kind::launch:
    return "launches " + timeline.launches[span.number].kernel;
  case HostSpan::Kind::graph_launch:
    return "launches graph " + timeline.graphs[span.number];
  case HostSpan::Kind::waits_for_everything:
    return "waits for everything";
  case HostSpan::Kind::waits_for_device:
    return fmt::format("waits for device {}", span.number);
  case HostSpan::Kind::waits_for_stream:
    return "waits for " + name_of_stream(span.number, 0, timeline);
  case HostSpan::Kind::waits_for_record:
    return "waits for an event";
  }
  return {};
}

void add_to_engine(const ItemSpan& item, std::uint32_t device, const EngineTrack& engine,
                   const ApplicationTimeline::Copy& copy, const ApplicationTimeline& timeline,
                   TraceEvents& events) {
  events.add(
      engines_process, engines_of_device * device + engine.track, of_device(device, engine.name, timeline),
      name_of(copy.kind), item.begin, item.end - item.begin,
      fmt::format(R"("bytes":{},{})", copy.bytes, stream_member(item.stream % timeline::device_streams)));
}

void add_item(const ItemSpan& item, const ApplicationTimeline::Copy& copy,
              const ApplicationTimeline& timeline, TraceEvents& events) {
  const std::string stream = name_of_stream(item.stream, item.device, timeline);
  if (item.engine == Engine::kernels) {
    const ApplicationTimeline::Launch& launch = timeline.launches[item.number];
    if (item.is_prologue)
      return events.add(streams_process, track_of_prologues(item.stream, item.branch), stream + " prologues",
                        launch.kernel + " (prologue)", item.begin, item.end - item.begin,
                        fmt::format(R"("alone_us":{})", launch.alone_us));
    return events.add(streams_process, item.stream, stream, launch.kernel, item.begin, item.end - item.begin,
                      fmt::format(R"("alone_us":{})", launch.alone_us));
  }
  const std::string_view name = name_of(copy.kind);
  events.add(streams_process, item.stream, stream, name, item.begin, item.end - item.begin,
             fmt::format(R"("bytes":{})", copy.bytes));
  add_to_engine(item, item.device, engine_of(copy.kind, timeline.copy_engines), copy, timeline, events);
  if (copy.kind == CopyKind::peer)
    add_to_engine(item, copy.to_device, arrivals, copy, timeline, events);
}

} // namespace

std::string application_timeline_json(const ApplicationTimeline& timeline) {
  const timeline::Timeline& recorded = *timeline.timeline;
  TraceEvents events;
  events.name_process(host_process, "host");
  events.name_process(streams_process, "streams");
  events.name_process(engines_process, "copy engines");
  events.name_track(host_process, 0, host_thread);
  for (const HostSpan& span : recorded.host)
    events.add(host_process, 0, host_thread, name_of(span, timeline), span.begin, span.end - span.begin, {});
  for (std::size_t i = 0; i < recorded.items.size(); ++i)
    add_item(recorded.items[i], timeline.copies[i], timeline, events);
  return events.text(fmt::format(R"("gpu":{},"app":{},"cut":{},"total_time_us":{})", quoted(timeline.gpu),
                                 quoted(timeline.app), recorded.spans_cut, recorded.total_time_us));
}

std::string application_timeline_note(const ApplicationTimeline& timeline) {
  const timeline::Timeline& recorded = *timeline.timeline;
  if (!recorded.spans_cut)
    return {};
  return fmt::format("note: the timeline of {} has the first {} launches, waits, kernels and copies only\n",
                     timeline.app, recorded.host.size() + recorded.items.size());
}

} // namespace kerncast::app
