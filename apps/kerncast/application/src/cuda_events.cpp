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
  std::uint8_t device = 0; // of the stream
};

// Those that are recorded in a graph are its own.
std::string full_name(const std::string& event, const Draft& draft) {
  return draft.capturing.empty() ? event : fmt::format("{}\n{}", draft.capturing, event);
}

void read_recorded_event(ValueReader& reader, NodeId value, CudaEventDraft& into) {
  if (const std::optional<std::string> name = reader.string(value, "event")) {
    auto& numbers = into.draft.cuda_event_numbers;
    into.cuda_event =
        numbers.try_emplace(full_name(*name, into.draft), static_cast<std::uint32_t>(numbers.size()))
            .first->second;
  }
}

// Of what waits. CUDA takes an event that was never recorded for a complete one; in a file it is a mistake.
std::optional<std::uint32_t> find_recorded_event(ValueReader& reader, NodeId value, const Draft& draft) {
  const std::optional<std::string> name = reader.string(value, "event");
  if (!name)
    return std::nullopt;
  const auto found = draft.cuda_event_numbers.find(full_name(*name, draft));
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
  std::optional<std::uint8_t> device;
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
                                            {"device", Need::optional, read_device},
                                            {"stream", Need::optional, read_stream},
                                            {"event", Need::optional, read_synced_event},
                                            {"when", Need::optional, json::read_nothing<SyncDraft>}};
constexpr Field<CudaEventDraft> record_fields[] = {
    {"op", Need::required, json::read_nothing<CudaEventDraft>},
    {"event", Need::required, read_recorded_event},
    {"device", Need::optional, read_device},
    {"stream", Need::optional, read_stream},
    {"when", Need::optional, json::read_nothing<CudaEventDraft>}};
constexpr Field<CudaEventDraft> wait_fields[] = {
    {"op", Need::required, json::read_nothing<CudaEventDraft>},
    {"event", Need::required, read_awaited_event},
    {"device", Need::optional, read_device},
    {"stream", Need::optional, read_stream},
    {"when", Need::optional, json::read_nothing<CudaEventDraft>}};

} // namespace

void read_sync(ValueReader& reader, NodeId object, Draft& draft) {
  if (!draft.capturing.empty())
    return reader.error(object, "the host cannot wait within a graph",
                        {"put the sync behind its graph_launch; within a graph, event_wait orders streams"});
  SyncDraft sync{draft, {}, {}, {}};
  if (!read_event_fields(reader, object, "sync", sync_fields, sync, draft))
    return;
  const std::uint8_t device = sync.device.value_or(0);
  check_device(reader, object, "device", device, draft);
  if (sync.stream)
    draft.app.events.emplace_back(
        timeline::StreamSyncEvent{*sync.stream + device * timeline::device_streams});
  else if (sync.cuda_event)
    draft.app.events.emplace_back(timeline::EventSyncEvent{*sync.cuda_event});
  else
    draft.app.events.emplace_back(timeline::SyncEvent{sync.device});
}

void read_event_record(ValueReader& reader, NodeId object, Draft& draft) {
  CudaEventDraft record{draft};
  if (!read_event_fields(reader, object, "event_record", record_fields, record, draft))
    return;
  put_on_device(reader, object, draft, record);
  draft.app.events.emplace_back(timeline::EventRecordEvent{record.cuda_event, record.stream, record.device});
}

void read_event_wait(ValueReader& reader, NodeId object, Draft& draft) {
  CudaEventDraft wait{draft};
  if (!read_event_fields(reader, object, "event_wait", wait_fields, wait, draft))
    return;
  put_on_device(reader, object, draft, wait);
  draft.app.events.emplace_back(timeline::StreamWaitEvent{wait.cuda_event, wait.stream, wait.device});
}

} // namespace kerncast::application
