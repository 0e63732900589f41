// What happens in order: {"op": "memcpy", "kind": "h2d", "bytes": 4194304, "stream": 0}, {"op": "sync"}.
#include <fmt/format.h>

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
constexpr CopyKindRow copy_kinds[] = {
    {"h2d", CopyKind::h2d}, {"d2h", CopyKind::d2h}, {"d2d", CopyKind::d2d}, {"peer", CopyKind::peer}};

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
void read_to_device(ValueReader& reader, NodeId value, CopyEvent& into) {
  if (into.kind != CopyKind::peer)
    return reader.error(value, "only copies of the kind 'peer' go to another device");
  into.to_device = static_cast<std::uint8_t>(
      reader.natural(value, "to_device", {0, timeline::max_devices - 1}).value_or(0));
}

// After the kind.
void read_memory(ValueReader& reader, NodeId value, CopyEvent& into) {
  if (into.kind == CopyKind::d2d || into.kind == CopyKind::peer)
    return reader.error(value,
                        into.kind == CopyKind::d2d ? "a copy within the device has no host memory"
                                                   : "a copy between devices has no host memory",
                        {"leave out 'memory'"});
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

void read_memset_device(ValueReader& reader, NodeId value, MemsetDraft& into) {
  read_device(reader, value, into.event);
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
                                              {"device", Need::optional, read_device},
                                              {"to_device", Need::optional, read_to_device},
                                              {"stream", Need::optional, read_stream},
                                              {"memory", Need::optional, read_memory},
                                              {"when", Need::optional, json::read_nothing<CopyEvent>}};
constexpr Field<MemsetDraft> memset_fields[] = {{"op", Need::required, json::read_nothing<MemsetDraft>},
                                                {"bytes", Need::required, read_memset_bytes},
                                                {"device", Need::optional, read_memset_device},
                                                {"stream", Need::optional, read_memset_stream},
                                                {"buffer", Need::optional, read_buffer},
                                                {"offset", Need::optional, read_offset},
                                                {"value", Need::optional, read_value},
                                                {"when", Need::optional, json::read_nothing<MemsetDraft>}};

void check_peers(ValueReader& reader, NodeId object, const CopyEvent& copy, const Draft& draft) {
  if (copy.kind != CopyKind::peer)
    return;
  if (field(reader, object, "to_device") == 0)
    return reader.error(object, "a copy between devices does not say where it goes",
                        {"add \"to_device\": 1; \"device\" is the one that it reads from"});
  check_device(reader, object, "to_device", copy.to_device, draft);
  if (copy.device == copy.to_device)
    reader.error(object, "a copy from a device to itself", {"that is of the kind 'd2d'"});
}

void read_memcpy(ValueReader& reader, NodeId object, Draft& draft) {
  CopyEvent event;
  if (!read_event_fields(reader, object, "memcpy", memcpy_fields, event, draft))
    return;
  check_peers(reader, object, event, draft);
  if (!draft.capturing.empty() && event.memory == HostMemory::pageable)
    reader.error(object, "a graph does not make the host wait for copies of pageable memory",
                 {"leave out 'memory'"});
  put_on_device(reader, object, draft, event);
  draft.app.events.emplace_back(event);
}

void read_memset(ValueReader& reader, NodeId object, Draft& draft) {
  MemsetDraft memset{draft, {.kind = CopyKind::memset}, {}};
  if (!read_event_fields(reader, object, "memset", memset_fields, memset, draft))
    return;
  put_on_device(reader, object, draft, memset.event);
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
  bool communicates = false;
};
constexpr OpRow ops[] = {{"memcpy", read_memcpy},
                         {"kernel", read_kernel_event},
                         {"sync", read_sync},
                         {"memset", read_memset},
                         {"event_record", read_event_record},
                         {"event_wait", read_event_wait},
                         {"send", read_communication_of<Op::send>, true},
                         {"recv", read_communication_of<Op::receive>, true},
                         {"broadcast", read_communication_of<Op::broadcast>, true},
                         {"all_reduce", read_communication_of<Op::all_reduce>, true},
                         {"reduce_scatter", read_communication_of<Op::reduce_scatter>, true},
                         {"all_gather", read_communication_of<Op::all_gather>, true},
                         {"all_to_all", read_communication_of<Op::all_to_all>, true},
                         {"barrier", read_communication_of<Op::barrier>, true},
                         {"group", refuse_nested},
                         {"repeat", refuse_nested},
                         {"graph", read_graph},
                         {"graph_launch", read_graph_launch}};

} // namespace

NodeId field(ValueReader& reader, NodeId object, std::string_view name) {
  NodeId found = 0;
  if (reader.node(object).kind == json::Kind::object)
    reader.for_each_member(object, [&](NodeId key, NodeId value) {
      found = found == 0 && reader.tree().text(key) == name ? value : found;
    });
  return found;
}

void check_device(ValueReader& reader, NodeId object, std::string_view name, std::uint8_t device,
                  const Draft& draft) {
  if (device >= draft.app.devices)
    reader.error(
        field(reader, object, name),
        draft.app.devices == 1 ? "the application has one device, number 0"
                               : fmt::format("the application has devices 0 to {}", draft.app.devices - 1),
        {draft.app.program.ranks > 0 ? "each rank has one GPU"
                                     : "state before the events how many there are: \"devices\": 2"});
}

void read_plain_event(ValueReader& reader, NodeId object, Draft& draft) {
  const OpRow* row = choose_row(reader, object, "event", "op", "op", ops);
  if (row == nullptr)
    return;
  if (draft.group_stream && !row->communicates)
    return reader.error(object, "a group holds communication only",
                        {"put this before the group or behind it"});
  row->read(reader, object, draft);
}

void read_event(ValueReader& reader, NodeId object, Draft& draft) {
  if (draft.values.ranks() == 0)
    read_only_event(reader, object, draft);
  else
    read_rank_event(reader, object, draft);
}

} // namespace kerncast::application
