#include "ranks_timeline.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_text.h"
#include "predict/cluster_prediction.h"

namespace kerncast::app {
namespace {

using ranks::RankSpan;
using timeline::Engine;
using timeline::Item;

std::string quoted(const std::string& text) { return Json(text).dump(); }

double us(ranks::Picoseconds time) { return static_cast<double>(time) / ranks::picoseconds_per_us; }

// Streams of the application have the tracks above it.
constexpr std::uint32_t copies_track = 0;
constexpr std::uint32_t first_stream = 1;

bool is_copy(const RankSpan& span) {
  return span.kind == Item::Kind::work &&
         (span.engine == Engine::copy_to_device || span.engine == Engine::copy_from_device ||
          span.engine == Engine::copy_within_device);
}

std::uint32_t track_of(const RankSpan& span) {
  return is_copy(span) ? copies_track : first_stream + span.stream;
}

std::string line_text(const char* what, const ClusterPrediction& prediction, const RankSpan& span) {
  return fmt::format("{}, line {}", what, prediction.lines[span.number]);
}

std::string name_of(const RankSpan& span, const ClusterPrediction& prediction) {
  if (span.kind == Item::Kind::external)
    return line_text("waits or receives", prediction, span);
  switch (span.engine) {
  case Engine::copy_to_device:
    return "copy to the device";
  case Engine::copy_from_device:
    return "copy from the device";
  case Engine::copy_within_device:
    return "copy within the device";
  case Engine::to_peers:
    return line_text("sends to a GPU of its node", prediction, span);
  case Engine::to_network:
    return line_text("sends to another node", prediction, span);
  default:
    return prediction.launch_names[span.number];
  }
}

std::string named(const char* kind, std::uint32_t rank, std::uint32_t track, const std::string& name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, rank, track,
                     quoted(name));
}

void add_rank(const ranks::RankOutcome& rank, const ClusterPrediction& prediction,
              std::vector<std::string>& events) {
  events.push_back(named("process_name", rank.rank, 0, fmt::format("rank {}", rank.rank)));
  std::set<std::uint32_t> tracks;
  for (const RankSpan& span : rank.spans) {
    const std::uint32_t track = track_of(span);
    if (tracks.insert(track).second)
      events.push_back(named("thread_name", rank.rank, track,
                             track == copies_track ? "copies" : fmt::format("stream {}", span.stream)));
    events.push_back(
        fmt::format(R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"stream":{}}}}})",
                    quoted(name_of(span, prediction)), rank.rank, track, us(span.begin),
                    us(span.end - span.begin), span.stream));
  }
}

} // namespace

std::string ranks_timeline_json(const Prediction& prediction) {
  const ClusterPrediction& cluster = *prediction.cluster;
  std::vector<std::string> events;
  for (const ranks::RankOutcome& rank : cluster.result.ranks)
    add_rank(rank, cluster, events);
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"format\":\"kerncast-timeline/1\",\"gpu\":{},"
      "\"cluster\":{},\"app\":{},\"cut\":{}}},\"traceEvents\":[\n{}\n]}}\n",
      quoted(prediction.gpu), quoted(cluster.cluster.name), quoted(prediction.app), cluster.result.spans_cut,
      fmt::join(events, ",\n"));
}

std::string ranks_timeline_note(const Prediction& prediction) {
  if (!prediction.cluster->result.spans_cut)
    return {};
  return fmt::format("note: the timeline of {} has the beginning of some ranks only\n", prediction.app);
}

} // namespace kerncast::app
