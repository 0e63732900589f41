// {"op": "send", "peer": "= rank + 1", "bytes": 4096, "tag": 0, "stream": 1, "via": "host"},
// {"op": "all_reduce", "bytes": 4096, "algorithm": "ring"}, {"op": "barrier"}.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "application/read.h"
#include "parts.h"
#include "ranks/collectives.h"

namespace kerncast::application {
namespace {

using timeline::Algorithm;
using timeline::CommunicationEvent;
using timeline::CommunicationOp;

struct CommunicationDraft {
  const Draft& draft;
  CommunicationEvent event;
};

std::uint32_t read_rank(ValueReader& reader, NodeId value, std::string_view what, const Draft& draft) {
  return static_cast<std::uint32_t>(reader.natural(value, what, {0, draft.values.ranks() - 1}).value_or(0));
}

void read_peer(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  into.event.peer = read_rank(reader, value, "peer", into.draft);
  if (into.event.peer == into.draft.rank)
    reader.error(value, fmt::format("rank {} talks to itself", into.draft.rank),
                 {"state in 'when' which ranks do this"});
}

void read_root(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  into.event.peer = read_rank(reader, value, "root", into.draft);
}

void read_bytes(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  into.event.bytes = reader.natural(value, "bytes", {0, max_bytes}).value_or(0);
}

void read_tag(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  into.event.tag = static_cast<std::uint32_t>(reader.natural(value, "tag", {0, UINT32_MAX}).value_or(0));
}

void read_own_stream(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  if (into.draft.group_stream)
    return reader.error(value, "what stands in a group has the group's stream", {"leave out 'stream' here"});
  read_stream(reader, value, into.event);
}

struct ViaRow {
  std::string_view name;
  bool through_host;
};
constexpr ViaRow vias[] = {{"gpu", false}, {"host", true}};

void read_via(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  if (const ViaRow* row = named_row(reader, value, "way", vias))
    into.event.through_host = row->through_host;
}

// After `op` has been chosen.
void read_algorithm(ValueReader& reader, NodeId value, CommunicationDraft& into) {
  if (!reader.expect(value, json::Kind::string, "algorithm"))
    return;
  std::vector<std::string_view> known;
  for (const Algorithm algorithm :
       ranks::algorithms(into.event.op, std::max(1U, into.draft.values.ranks()))) {
    known.push_back(ranks::name(algorithm));
    if (known.back() == reader.tree().text(value)) {
      into.event.algorithm = algorithm;
      return;
    }
  }
  reader.error(value,
               fmt::format("no algorithm '{}' of {} among {} ranks", reader.tree().text(value),
                           ranks::name(into.event.op), into.draft.values.ranks()),
               {fmt::format("known: {}; without one the cheapest is taken", fmt::join(known, ", "))});
}

using CommunicationField = Field<CommunicationDraft>;
constexpr auto nothing = json::read_nothing<CommunicationDraft>;
constexpr CommunicationField message_fields[] = {
    {"op", Need::required, nothing},       {"peer", Need::required, read_peer},
    {"bytes", Need::required, read_bytes}, {"tag", Need::optional, read_tag},
    {"via", Need::optional, read_via},     {"stream", Need::optional, read_own_stream},
    {"when", Need::optional, nothing}};
constexpr CommunicationField broadcast_fields[] = {
    {"op", Need::required, nothing},     {"bytes", Need::required, read_bytes},
    {"root", Need::optional, read_root}, {"algorithm", Need::optional, read_algorithm},
    {"via", Need::optional, read_via},   {"stream", Need::optional, read_own_stream},
    {"when", Need::optional, nothing}};
constexpr CommunicationField collective_fields[] = {{"op", Need::required, nothing},
                                                    {"bytes", Need::required, read_bytes},
                                                    {"algorithm", Need::optional, read_algorithm},
                                                    {"via", Need::optional, read_via},
                                                    {"stream", Need::optional, read_own_stream},
                                                    {"when", Need::optional, nothing}};
constexpr CommunicationField barrier_fields[] = {{"op", Need::required, nothing},
                                                 {"stream", Need::optional, read_own_stream},
                                                 {"when", Need::optional, nothing}};

} // namespace

void read_communication(ValueReader& reader, NodeId object, CommunicationOp op, Draft& draft) {
  if (draft.values.ranks() == 0)
    return reader.error(object, fmt::format("{} of an application of one GPU", ranks::name(op)),
                        {"state how many ranks there are: \"ranks\": 4"});
  CommunicationDraft into{draft, {.op = op, .stream = draft.group_stream.value_or(0)}};
  const auto read = [&](const auto& fields) {
    return read_event_fields(reader, object, ranks::name(op), fields, into, draft);
  };
  const bool happens = !timeline::is_collective(op)       ? read(message_fields)
                       : op == CommunicationOp::broadcast ? read(broadcast_fields)
                       : op == CommunicationOp::barrier   ? read(barrier_fields)
                                                          : read(collective_fields);
  if (happens)
    draft.app.events.emplace_back(into.event);
}

} // namespace kerncast::application
