#include "application_timeline_json.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_text.h"

namespace kerncast::app {
namespace {

using timeline::CopyKind;
using timeline::Engine;
using timeline::HostSpan;
using timeline::ItemSpan;

constexpr int host_process = 1;
constexpr int streams_process = 2;
constexpr int engines_process = 3;

std::string quoted(const std::string& text) { return Json(text).dump(); }

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
  }
  return "";
}

struct EngineTrack {
  std::uint32_t track = 0;
  std::string_view name;
};

// As timeline::set_copy_engines gives them work. None: the copy takes the place of kernels.
EngineTrack engine_of(CopyKind kind, std::uint32_t copy_engines) {
  if (kind == CopyKind::d2d || kind == CopyKind::memset)
    return {2, "within the device"};
  if (copy_engines < 2)
    return {0, copy_engines == 1 ? "copy engine" : "copies, while no kernel runs"};
  return kind == CopyKind::h2d ? EngineTrack{0, "copy engine to the device"}
                               : EngineTrack{1, "copy engine from the device"};
}

// Names tracks when they occur first.
class Events {
public:
  Events() {
    name("process_name", host_process, 0, "host");
    name("process_name", streams_process, 0, "streams");
    name("process_name", engines_process, 0, "copy engines");
    name("thread_name", host_process, 0, "host thread");
  }

  void add(int process, std::uint32_t track, std::string_view track_name, const std::string& name_of_slice,
           double begin, double end, const std::string& arguments) {
    if (named_.insert({process, track}).second && process != host_process)
      name("thread_name", process, track, std::string(track_name));
    lines_.push_back(fmt::format(R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                                 quoted(name_of_slice), process, track, begin, end - begin, arguments));
  }

  std::string text() const { return fmt::format("{}", fmt::join(lines_, ",\n")); }

private:
  void name(const char* kind, int process, std::uint32_t track, const std::string& name) {
    lines_.push_back(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", kind,
                                 process, track, quoted(name)));
  }

  std::vector<std::string> lines_;
  std::set<std::pair<int, std::uint32_t>> named_;
};

std::string name_of(const HostSpan& span, const ApplicationTimeline& timeline) {
  switch (span.kind) {
  case HostSpan::Kind::launch:
    return "launches " + timeline.launches[span.number].kernel;
  case HostSpan::Kind::waits_for_everything:
    return "waits for everything";
  case HostSpan::Kind::waits_for_stream:
    return fmt::format("waits for stream {}", span.number);
  case HostSpan::Kind::waits_for_record:
    return "waits for an event";
  }
  return {};
}

void add_item(const ItemSpan& item, const ApplicationTimeline::Copy& copy,
              const ApplicationTimeline& timeline, Events& events) {
  const std::string stream = fmt::format("stream {}", item.stream);
  if (item.engine == Engine::kernels) {
    const ApplicationTimeline::Launch& launch = timeline.launches[item.number];
    return events.add(streams_process, item.stream, stream, launch.kernel, item.begin, item.end,
                      fmt::format(R"("alone_us":{})", launch.alone_us));
  }
  const std::string name(name_of(copy.kind));
  events.add(streams_process, item.stream, stream, name, item.begin, item.end,
             fmt::format(R"("bytes":{})", copy.bytes));
  const EngineTrack engine = engine_of(copy.kind, timeline.copy_engines);
  events.add(engines_process, engine.track, engine.name, name, item.begin, item.end,
             fmt::format(R"("bytes":{},"stream":{})", copy.bytes, item.stream));
}

} // namespace

std::string application_timeline_json(const ApplicationTimeline& timeline) {
  const timeline::Timeline& recorded = *timeline.timeline;
  Events events;
  for (const HostSpan& span : recorded.host)
    events.add(host_process, 0, {}, name_of(span, timeline), span.begin, span.end, {});
  for (std::size_t i = 0; i < recorded.items.size(); ++i)
    add_item(recorded.items[i], timeline.copies[i], timeline, events);
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"format\":\"kerncast-timeline/1\",\"gpu\":{},"
      "\"app\":{},\"cut\":{},\"total_time_us\":{}}},\"traceEvents\":[\n{}\n]}}\n",
      quoted(timeline.gpu), quoted(timeline.app), recorded.spans_cut, recorded.total_time_us, events.text());
}

std::string application_timeline_note(const ApplicationTimeline& timeline) {
  const timeline::Timeline& recorded = *timeline.timeline;
  if (!recorded.spans_cut)
    return {};
  return fmt::format("note: the timeline of {} has the first {} launches, waits, kernels and copies only\n",
                     timeline.app, recorded.host.size() + recorded.items.size());
}

} // namespace kerncast::app
