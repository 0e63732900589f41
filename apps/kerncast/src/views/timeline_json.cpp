#include "timeline_json.h"

#include <vector>

#include <fmt/format.h>

#include "trace_events.h"

namespace kerncast::app {
namespace {

constexpr std::uint32_t warps_process = 1;
constexpr std::uint32_t units_process = 2;

// What the instruction is, with its line.
std::string op_text(const SmTimeline& timeline, std::uint32_t op) {
  const engine::OpSource& source = timeline.ops[op];
  return source.line == 0 ? source.operation : fmt::format("{}:{}", source.line, source.operation);
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
  TraceEvents events;
  events.name_process(warps_process, "warps");
  events.name_process(units_process, "units");
  for (const engine::WarpSlice& slice : timeline.trace.warps) {
    const std::string operation = op_text(timeline, slice.op);
    const bool issued = slice.state == engine::WarpState::issued;
    events.add(warps_process, slice.warp, tracks.warp_name(slice.warp),
               issued ? operation : std::string(engine::name(slice.state)), slice.begin,
               slice.end - slice.begin,
               fmt::format(R"("state":"{}","before":{})", engine::name(slice.state), quoted(operation)));
  }
  for (const engine::UnitSlice& slice : timeline.trace.units)
    events.add(units_process, tracks.of(slice), tracks.name(slice), op_text(timeline, slice.op), slice.begin,
               slice.end - slice.begin, fmt::format(R"("warp":{})", quoted(tracks.warp_name(slice.warp))));
  return events.text(
      fmt::format(R"("gpu":{},"kernel":{},"unit_of_time":"1 us is 1 cycle","cut":{},"cycles":{})",
                  quoted(timeline.gpu), quoted(timeline.kernel), timeline.trace.cut, timeline.trace.until));
}

std::string timeline_note(const SmTimeline& timeline) {
  if (!timeline.trace.cut)
    return {};
  return fmt::format("note: the timeline of {} is cut after {} slices, at cycle {:.0f}\n", timeline.kernel,
                     timeline.trace.warps.size() + timeline.trace.units.size(), timeline.trace.until);
}

} // namespace kerncast::app
