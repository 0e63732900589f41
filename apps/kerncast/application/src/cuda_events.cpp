// What streams and the host wait for: {"op": "event_record", "event": "done", "stream": 1},
// {"op": "event_wait", "event": "done", "stream": 2}, {"op": "sync"}.
#include <fmt/format.h>

#include "parts.h"

namespace kerncast::application {
namespace {

// Of event_record and event_wait.
struct CudaEventDraft {
  Draft& draft;
  std::uint32_t cuda_event = 0;
  std::uint32_t stream = 0;
};

void read_recorded_event(ValueReader& reader, NodeId value, CudaEventDraft& into) {
  if (std::optional<std::string> name = reader.string(value, "event")) {
    auto& numbers = into.draft.cuda_event_numbers;
    into.cuda_event =
        numbers.try_emplace(std::move(*name), static_cast<std::uint32_t>(numbers.size())).first->second;
  }
}

// Of what waits. CUDA takes an event that was never recorded for a complete one; in a file it is a mistake.
std::optional<std::uint32_t> find_recorded_event(ValueReader& reader, NodeId value, const Draft& draft) {
  const std::optional<std::string> name = reader.string(value, "event");
  if (!name)
    return std::nullopt;
  const auto found = draft.cuda_event_numbers.find(*name);
  if (found != draft.cuda_event_numbers.end())
    return found->second;
  reader.error(value, fmt::format("event '{}' has not been recorded before", *name),
               {"nothing would wait: put an 'event_record' of it before, or leave this out"});
  return std::nullopt;
}

void read_awaited_event(ValueReader& reader, NodeId value, CudaEventDraft& into) {
  into.cuda_event = find_recorded_event(reader, value, into.draft).value_or(0);
}

// {"op": "sync"} waits for everything, {"op": "sync", "stream": 1} and {"op": "sync", "event": "done"} for
// less.
struct SyncDraft {
  const Draft& draft;
  std::optional<std::uint32_t> stream;
  std::optional<std::uint32_t> cuda_event;
};

void read_synced_event(ValueReader& reader, NodeId value, SyncDraft& into) {
  if (into.stream)
    return reader.error(value, "sync waits for a stream or for an event, not for both",
                        {"write two of them, one behind the other"});
  into.cuda_event = find_recorded_event(reader, value, into.draft);
}

// `op` has chosen the table.
constexpr Field<SyncDraft> sync_fields[] = {{"op", Need::required, json::read_nothing<SyncDraft>},
                                            {"stream", Need::optional, read_stream},
                                            {"event", Need::optional, read_synced_event},
                                            {"when", Need::optional, json::read_nothing<SyncDraft>}};
constexpr Field<CudaEventDraft> record_fields[] = {
    {"op", Need::required, json::read_nothing<CudaEventDraft>},
    {"event", Need::required, read_recorded_event},
    {"stream", Need::optional, read_stream},
    {"when", Need::optional, json::read_nothing<CudaEventDraft>}};
constexpr Field<CudaEventDraft> wait_fields[] = {
    {"op", Need::required, json::read_nothing<CudaEventDraft>},
    {"event", Need::required, read_awaited_event},
    {"stream", Need::optional, read_stream},
    {"when", Need::optional, json::read_nothing<CudaEventDraft>}};

} // namespace

void read_sync(ValueReader& reader, NodeId object, Draft& draft) {
  SyncDraft sync{draft, {}, {}};
  read_object(reader, object, "sync", sync_fields, sync);
  if (sync.stream)
    draft.app.events.emplace_back(timeline::StreamSyncEvent{*sync.stream});
  else if (sync.cuda_event)
    draft.app.events.emplace_back(timeline::EventSyncEvent{*sync.cuda_event});
  else
    draft.app.events.emplace_back(timeline::SyncEvent{});
}

void read_event_record(ValueReader& reader, NodeId object, Draft& draft) {
  CudaEventDraft record{draft};
  read_object(reader, object, "event_record", record_fields, record);
  draft.app.events.emplace_back(timeline::EventRecordEvent{record.cuda_event, record.stream});
}

void read_event_wait(ValueReader& reader, NodeId object, Draft& draft) {
  CudaEventDraft wait{draft};
  read_object(reader, object, "event_wait", wait_fields, wait);
  draft.app.events.emplace_back(timeline::StreamWaitEvent{wait.cuda_event, wait.stream});
}

} // namespace kerncast::application
