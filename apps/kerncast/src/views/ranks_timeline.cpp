#include "ranks_timeline.h"

#include <fmt/format.h>

#include "predict/cluster_prediction.h"
#include "stream_names.h"
#include "trace_events.h"

namespace kerncast::app {
namespace {

using ranks::RankSpan;
using timeline::Engine;
using timeline::Item;

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
  if (is_copy(span))
    return copies_track;
  return first_stream + (span.branch == 0 ? span.stream : track_of_prologues(span.stream, span.branch));
}

std::string name_of_track(const RankSpan& span) {
  if (is_copy(span))
    return "copies";
  return stream_name(span.stream) + (span.branch == 0 ? "" : " prologues");
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
    return prediction.launch_names[span.number] + (span.branch == 0 ? "" : " (prologue)");
  }
}

void add_rank(const ranks::RankOutcome& rank, const ClusterPrediction& prediction, TraceEvents& events) {
  events.name_process(rank.rank, fmt::format("rank {}", rank.rank));
  for (const RankSpan& span : rank.spans)
    events.add(rank.rank, track_of(span), name_of_track(span), name_of(span, prediction), us(span.begin),
               us(span.end - span.begin), stream_member(span.stream));
}

} // namespace

std::string ranks_timeline_json(const Prediction& prediction) {
  const ClusterPrediction& cluster = *prediction.cluster;
  TraceEvents events;
  for (const ranks::RankOutcome& rank : cluster.result.ranks)
    add_rank(rank, cluster, events);
  return events.text(fmt::format(R"("gpu":{},"cluster":{},"app":{},"cut":{})", quoted(prediction.gpu),
                                 quoted(cluster.cluster.name), quoted(prediction.app),
                                 cluster.result.spans_cut));
}

std::string ranks_timeline_note(const Prediction& prediction) {
  if (!prediction.cluster->result.spans_cut)
    return {};
  return fmt::format("note: the timeline of {} has the beginning of some ranks only\n", prediction.app);
}

} // namespace kerncast::app
