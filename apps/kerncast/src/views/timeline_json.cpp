#include "timeline_json.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_text.h"

namespace kerncast::app {
namespace {

constexpr int warps_process = 1;
constexpr int units_process = 2;

std::string quoted(const std::string& text) { return Json(text).dump(); }

// What the instruction is, with its line.
std::string op_text(const SmTimeline& timeline, std::uint32_t op) {
  const engine::OpSource& source = timeline.ops[op];
  return source.line == 0 ? source.operation : fmt::format("{}:{}", source.line, source.operation);
}

std::string name_event(const char* kind, int process, std::uint32_t track, const std::string& name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, process,
                     track, quoted(name));
}

std::string slice_event(int process, std::uint32_t track, const std::string& name, const std::string& about,
                        double begin, double end) {
  return fmt::format(R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                     quoted(name), process, track, begin, end - begin, about);
}

class Tracks {
public:
  explicit Tracks(const SmTimeline& timeline) : timeline_(timeline) {
    std::uint32_t next = 0;
    for (std::size_t u = 0; u < timeline.units.size(); ++u) {
      first_track_.push_back(next);
      next += timeline.unit_pipelines[u] * (timeline.unit_of_sm[u] ? 1 : timeline.sub_cores);
    }
  }

  std::uint32_t of(const engine::UnitSlice& slice) const {
    return first_track_[slice.unit] + slice.sub_core * timeline_.unit_pipelines[slice.unit] + slice.pipeline;
  }
  std::string name(const engine::UnitSlice& slice) const {
    std::string name = timeline_.units[slice.unit];
    if (!timeline_.unit_of_sm[slice.unit])
      name += fmt::format(", sub-core {}", slice.sub_core);
    if (timeline_.unit_pipelines[slice.unit] > 1)
      name += fmt::format(", pipeline {}", slice.pipeline);
    return name;
  }
  std::string warp_name(std::uint32_t warp) const {
    return fmt::format("CTA slot {}, warp {}", warp / timeline_.warps_per_cta,
                       warp % timeline_.warps_per_cta);
  }

private:
  const SmTimeline& timeline_;
  std::vector<std::uint32_t> first_track_; // per unit
};

} // namespace

std::string timeline_json(const SmTimeline& timeline) {
  const Tracks tracks(timeline);
  std::vector<std::string> events = {name_event("process_name", warps_process, 0, "warps"),
                                     name_event("process_name", units_process, 0, "units")};
  std::set<std::uint32_t> named_warps;
  for (const engine::WarpSlice& slice : timeline.trace.warps) {
    if (named_warps.insert(slice.warp).second)
      events.push_back(name_event("thread_name", warps_process, slice.warp, tracks.warp_name(slice.warp)));
    const std::string operation = op_text(timeline, slice.op);
    const bool issued = slice.state == engine::WarpState::issued;
    events.push_back(
        slice_event(warps_process, slice.warp, issued ? operation : std::string(engine::name(slice.state)),
                    fmt::format(R"("state":"{}","before":{})", engine::name(slice.state), quoted(operation)),
                    slice.begin, slice.end));
  }
  std::set<std::uint32_t> named_units;
  for (const engine::UnitSlice& slice : timeline.trace.units) {
    const std::uint32_t track = tracks.of(slice);
    if (named_units.insert(track).second)
      events.push_back(name_event("thread_name", units_process, track, tracks.name(slice)));
    events.push_back(slice_event(units_process, track, op_text(timeline, slice.op),
                                 fmt::format(R"("warp":{})", quoted(tracks.warp_name(slice.warp))),
                                 slice.begin, slice.end));
  }
  std::string text =
      fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"format\":\"kerncast-timeline/"
                  "1\",\"gpu\":{},\"kernel\":{},"
                  "\"unit_of_time\":\"1 us is 1 cycle\",\"cut\":{},\"cycles\":{}}},\"traceEvents\":[\n",
                  quoted(timeline.gpu), quoted(timeline.kernel), timeline.trace.cut, timeline.trace.until);
  text += fmt::format("{}", fmt::join(events, ",\n"));
  return text + "\n]}\n";
}

std::string timeline_note(const SmTimeline& timeline) {
  if (!timeline.trace.cut)
    return {};
  return fmt::format("note: the timeline of {} is cut after {} slices, at cycle {:.0f}\n", timeline.kernel,
                     timeline.trace.warps.size() + timeline.trace.units.size(), timeline.trace.until);
}

} // namespace kerncast::app
