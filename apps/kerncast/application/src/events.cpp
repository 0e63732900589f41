// What happens in order: {"op": "memcpy", "kind": "h2d", "bytes": 4194304, "stream": 0}, {"op": "sync"}.
#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using timeline::CopyEvent;
using timeline::CopyKind;
using timeline::HostMemory;

struct CopyKindRow {
  std::string_view name;
  CopyKind kind;
};
constexpr CopyKindRow copy_kinds[] = {{"h2d", CopyKind::h2d}, {"d2h", CopyKind::d2h}, {"d2d", CopyKind::d2d}};

struct HostMemoryRow {
  std::string_view name;
  HostMemory memory;
};
constexpr HostMemoryRow host_memories[] = {{"pinned", HostMemory::pinned},
                                           {"pageable", HostMemory::pageable}};

void read_kind(ValueReader& reader, NodeId value, CopyEvent& into) {
  if (const CopyKindRow* row = named_row(reader, value, "kind of copy", copy_kinds))
    into.kind = row->kind;
}

void read_bytes(ValueReader& reader, NodeId value, CopyEvent& into) {
  into.bytes = reader.natural(value, "bytes", {1, max_bytes}).value_or(0);
}

// After the kind.
void read_memory(ValueReader& reader, NodeId value, CopyEvent& into) {
  if (into.kind == CopyKind::d2d)
    return reader.error(value, "a copy within the device has no host memory", {"leave out 'memory'"});
  if (const HostMemoryRow* row = named_row(reader, value, "kind of host memory", host_memories))
    into.memory = row->memory;
}

// {"op": "memset", "bytes": 4, "buffer": "flag", "offset": 0, "value": 255}: with a buffer, functional
// execution does it; the others are optional.
struct MemsetDraft {
  const Draft& draft;
  CopyEvent event;
  BufferFill fill;
  bool has_buffer = false;
};

void read_memset_bytes(ValueReader& reader, NodeId value, MemsetDraft& into) {
  read_bytes(reader, value, into.event);
}

void read_memset_stream(ValueReader& reader, NodeId value, MemsetDraft& into) {
  read_stream(reader, value, into.event);
}

void read_buffer(ValueReader& reader, NodeId value, MemsetDraft& into) {
  if (!reader.expect(value, json::Kind::string, "buffer"))
    return;
  const auto found = into.draft.buffer_numbers.find(reader.tree().text(value));
  into.has_buffer = found != into.draft.buffer_numbers.end();
  if (into.has_buffer) {
    into.fill.buffer = found->second;
    return;
  }
  std::vector<std::string_view> known;
  for (const auto& [name, number] : into.draft.buffer_numbers)
    known.push_back(name);
  reader.unknown_name(value, "buffer", known);
}

void read_offset(ValueReader& reader, NodeId value, MemsetDraft& into) {
  into.fill.offset = reader.natural(value, "offset", {0, max_bytes}).value_or(0);
}

void read_value(ValueReader& reader, NodeId value, MemsetDraft& into) {
  into.fill.value = static_cast<std::uint8_t>(reader.natural(value, "value", {0, 255}).value_or(0));
}

// `op` has chosen the table.
constexpr Field<CopyEvent> memcpy_fields[] = {{"op", Need::required, json::read_nothing<CopyEvent>},
                                              {"kind", Need::required, read_kind},
                                              {"bytes", Need::required, read_bytes},
                                              {"stream", Need::optional, read_stream},
                                              {"memory", Need::optional, read_memory},
                                              {"when", Need::optional, json::read_nothing<CopyEvent>}};
constexpr Field<MemsetDraft> memset_fields[] = {{"op", Need::required, json::read_nothing<MemsetDraft>},
                                                {"bytes", Need::required, read_memset_bytes},
                                                {"stream", Need::optional, read_memset_stream},
                                                {"buffer", Need::optional, read_buffer},
                                                {"offset", Need::optional, read_offset},
                                                {"value", Need::optional, read_value},
                                                {"when", Need::optional, json::read_nothing<MemsetDraft>}};

void read_memcpy(ValueReader& reader, NodeId object, Draft& draft) {
  CopyEvent event;
  read_object(reader, object, "memcpy", memcpy_fields, event);
  draft.app.events.emplace_back(event);
}

void read_memset(ValueReader& reader, NodeId object, Draft& draft) {
  MemsetDraft memset{draft, {.kind = CopyKind::memset}, {}};
  read_object(reader, object, "memset", memset_fields, memset);
  if (memset.has_buffer) {
    const std::uint64_t bytes = draft.app.buffers[memset.fill.buffer].bytes;
    if (memset.fill.offset > bytes || memset.event.bytes > bytes - memset.fill.offset)
      reader.error(object, "memset goes beyond the end of its buffer");
    memset.fill.bytes = memset.event.bytes;
    memset.fill.event = draft.app.events.size();
    draft.app.fills.push_back(memset.fill);
  }
  draft.app.events.emplace_back(memset.event);
}

template <timeline::CommunicationOp op>
void read_communication_of(ValueReader& reader, NodeId object, Draft& draft) {
  read_communication(reader, object, op, draft);
}

// Groups and repetitions hold other events; only ranks have them.
void refuse_nested(ValueReader& reader, NodeId object, Draft& /*draft*/) {
  reader.error(object, "events within events are those of an application of several ranks",
               {"state how many there are: \"ranks\": 4"});
}

using Op = timeline::CommunicationOp;

struct OpRow {
  std::string_view name;
  void (*read)(ValueReader& reader, NodeId object, Draft& draft);
};
constexpr OpRow ops[] = {{"memcpy", read_memcpy},
                         {"kernel", read_kernel_event},
                         {"sync", read_sync},
                         {"memset", read_memset},
                         {"event_record", read_event_record},
                         {"event_wait", read_event_wait},
                         {"send", read_communication_of<Op::send>},
                         {"recv", read_communication_of<Op::receive>},
                         {"broadcast", read_communication_of<Op::broadcast>},
                         {"all_reduce", read_communication_of<Op::all_reduce>},
                         {"reduce_scatter", read_communication_of<Op::reduce_scatter>},
                         {"all_gather", read_communication_of<Op::all_gather>},
                         {"all_to_all", read_communication_of<Op::all_to_all>},
                         {"barrier", read_communication_of<Op::barrier>},
                         {"group", refuse_nested},
                         {"repeat", refuse_nested}};

} // namespace

void read_plain_event(ValueReader& reader, NodeId object, Draft& draft) {
  const std::size_t before = draft.app.events.size();
  if (const OpRow* row = choose_row(reader, object, "event", "op", "op", ops))
    row->read(reader, object, draft);
  const bool communicates = draft.app.events.size() > before &&
                            std::holds_alternative<timeline::CommunicationEvent>(draft.app.events.back());
  if (draft.group_stream && draft.app.events.size() > before && !communicates)
    reader.error(object, "a group holds communication only", {"put this before the group or behind it"});
}

void read_event(ValueReader& reader, NodeId object, Draft& draft) {
  if (draft.values.ranks() == 0)
    read_only_event(reader, object, draft);
  else
    read_rank_event(reader, object, draft);
}

} // namespace kerncast::application
