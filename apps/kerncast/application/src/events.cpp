// What happens in order: {"op": "memcpy", "kind": "h2d", "bytes": 4194304, "stream": 0}, {"op": "sync"}.
#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using timeline::CopyEvent;
using timeline::CopyKind;

struct CopyKindRow {
  std::string_view name;
  CopyKind kind;
};
constexpr CopyKindRow copy_kinds[] = {{"h2d", CopyKind::h2d}, {"d2h", CopyKind::d2h}, {"d2d", CopyKind::d2d}};

void read_kind(ValueReader& reader, NodeId value, CopyEvent& into) {
  if (const CopyKindRow* row = named_row(reader, value, "kind of copy", copy_kinds))
    into.kind = row->kind;
}

void read_bytes(ValueReader& reader, NodeId value, CopyEvent& into) {
  into.bytes = reader.natural(value, "bytes", {1, max_bytes}).value_or(0);
}

void read_stream(ValueReader& reader, NodeId value, CopyEvent& into) {
  into.stream = static_cast<std::uint32_t>(reader.natural(value, "stream", {0, max_stream}).value_or(0));
}

// `op` has chosen the table.
constexpr Field<CopyEvent> memcpy_fields[] = {{"op", Need::required, json::read_nothing<CopyEvent>},
                                              {"kind", Need::required, read_kind},
                                              {"bytes", Need::required, read_bytes},
                                              {"stream", Need::optional, read_stream}};
constexpr Field<CopyEvent> memset_fields[] = {{"op", Need::required, json::read_nothing<CopyEvent>},
                                              {"bytes", Need::required, read_bytes},
                                              {"stream", Need::optional, read_stream}};
constexpr Field<Draft> sync_fields[] = {{"op", Need::required, json::read_nothing<Draft>}};

void read_memcpy(ValueReader& reader, NodeId object, Draft& draft) {
  CopyEvent event;
  read_object(reader, object, "memcpy", memcpy_fields, event);
  draft.app.events.emplace_back(event);
}

void read_memset(ValueReader& reader, NodeId object, Draft& draft) {
  CopyEvent event{CopyKind::memset, 0, 0};
  read_object(reader, object, "memset", memset_fields, event);
  draft.app.events.emplace_back(event);
}

void read_sync(ValueReader& reader, NodeId object, Draft& draft) {
  read_object(reader, object, "sync", sync_fields, draft);
  draft.app.events.emplace_back(timeline::SyncEvent{});
}

struct OpRow {
  std::string_view name;
  void (*read)(ValueReader& reader, NodeId object, Draft& draft);
};
constexpr OpRow ops[] = {
    {"memcpy", read_memcpy}, {"kernel", read_kernel_event}, {"sync", read_sync}, {"memset", read_memset}};

} // namespace

void read_event(ValueReader& reader, NodeId object, Draft& draft) {
  if (const OpRow* row = choose_row(reader, object, "event", "op", "op", ops))
    row->read(reader, object, draft);
}

} // namespace kerncast::application
