// The parts of an application file, one reader each; read.cpp puts them together.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "application/application.h"
#include "application/read.h"
#include "launch_set.h"
#include "rank_values.h"
#include "tasklist/tensor_map.h"
#include "json/object_reader.h"

namespace kerncast::application {

using json::Field;
using json::Need;
using json::NodeId;
using json::ValueReader;

struct NamedTensorMap {
  tasklist::TensorMap map;
  tasklist::Argument buffer; // where its tensor begins
};

// A graph as a launch of it repeats it.
struct CapturedGraph {
  std::uint32_t number = 0;
  Place place;
  bool is_named = false; // by a launch, whether that happens or not
  std::vector<timeline::Event> events;
  std::vector<BufferFill> fills;    // with indices into `events`
  std::vector<std::uint32_t> steps; // of ranks, instead of events
  std::size_t streams = 0;
};

// What the readers of buffers and events fill.
struct Draft {
  explicit Draft(const RankOptions& options) : values(options) {}

  Application app;
  LaunchSet launches;
  std::map<std::string, std::uint32_t, std::less<>> buffer_numbers;
  std::map<std::string, std::uint32_t, std::less<>> texture_numbers;
  std::map<std::string, NamedTensorMap, std::less<>> tensor_maps;
  std::map<std::string, std::uint32_t, std::less<>> cuda_event_numbers; // of those recorded so far
  std::map<std::string, CapturedGraph, std::less<>> graphs;
  std::string capturing;                        // the graph whose nodes are read; empty: none
  std::uint64_t graph_events = 0;               // of all launches of graphs
  std::set<std::uint32_t> graph_launch_streams; // of those with several streams
  std::uint64_t total_launches = 0;
  std::optional<std::uint64_t> event_count; // that a trace's header promises
  std::uint64_t event_lines = 0;            // of a trace
  // Of an application of several ranks:
  RankValues values;
  json::Tree* tree = nullptr;                // that is read, for the numbers of its expressions
  Diagnostics* errors = nullptr;             // of its reader
  std::uint32_t rank = 0;                    // whose event is read
  std::uint64_t different_events = 0;        // of all ranks, in steps that are not the same for all
  bool has_too_many_events = false;          // of ranks: what comes behind is not read
  std::uint64_t times = 1;                   // that a launch of the event happens
  bool is_absent = false;                    // the event that is read does not happen: its `when` is 0
  std::optional<std::uint32_t> group_stream; // in a group
};

// What the text of a string or a key names; null, with an error, if there is no such thing.
template <class T>
const T* find_by_text(ValueReader& reader, NodeId value, std::string_view what,
                      const std::map<std::string, T, std::less<>>& things) {
  const auto found = things.find(reader.tree().text(value));
  if (found != things.end())
    return &found->second;
  std::vector<std::string_view> known;
  for (const auto& [name, thing] : things)
    known.push_back(name);
  reader.unknown_name(value, what, known);
  return nullptr;
}

// The same of what must be a string.
template <class T>
const T* find_named(ValueReader& reader, NodeId value, std::string_view what,
                    const std::map<std::string, T, std::less<>>& things) {
  return reader.expect(value, json::Kind::string, what) ? find_by_text(reader, value, what, things) : nullptr;
}

// An error, at the member of that name, unless the application has such a device.
void check_device(ValueReader& reader, NodeId object, std::string_view name, std::uint8_t device,
                  const Draft& draft);

// False: the event does not happen. Then only the names of its fields are checked: the values may be of
// expressions that mean nothing where it does not.
template <class T, std::size_t n>
bool read_event_fields(ValueReader& reader, NodeId object, std::string_view what, const Field<T> (&fields)[n],
                       T& into, const Draft& draft) {
  if (draft.is_absent)
    json::find_fields(reader, object, what, fields);
  else
    json::read_object(reader, object, what, fields, into);
  return !draft.is_absent;
}

template <class T> void read_stream(ValueReader& reader, NodeId value, T& into) {
  into.stream = static_cast<std::uint32_t>(reader.natural(value, "stream", {0, max_stream}).value_or(0));
}

// Of an event that holds others; 0 if they are not to be read.
template <class T> void read_nested_events(ValueReader& reader, NodeId value, T& into) {
  into.events = reader.expect(value, json::Kind::array, "events") ? value : 0;
}

template <class T> void read_device(ValueReader& reader, NodeId value, T& into) {
  into.device =
      static_cast<std::uint8_t>(reader.natural(value, "device", {0, timeline::max_devices - 1}).value_or(0));
}

// The stream becomes one of its device, which must be there.
template <class T> void put_on_device(ValueReader& reader, NodeId object, const Draft& draft, T& event) {
  check_device(reader, object, "device", event.device, draft);
  event.stream += event.device * timeline::device_streams;
}

void read_buffers(ValueReader& reader, NodeId object, Draft& draft);
// The number of the buffer that a string names; an error if there is none.
std::optional<std::uint32_t> find_buffer(ValueReader& reader, NodeId value, const Draft& draft);
// The modules' variables: {"table": {"bytes": 256, "init": {...}}}.
void read_variables(ValueReader& reader, NodeId object, Draft& draft);
void read_textures(ValueReader& reader, NodeId object, Draft& draft);
void read_tensor_maps(ValueReader& reader, NodeId object, Draft& draft);
void read_event(ValueReader& reader, NodeId object, Draft& draft);
// With numbers for its expressions: appends to the events.
void read_plain_event(ValueReader& reader, NodeId object, Draft& draft);
void read_only_event(ValueReader& reader, NodeId object, Draft& draft);
// Of an application of several ranks: appends to their program.
void read_rank_event(ValueReader& reader, NodeId object, Draft& draft);
void append_step(timeline::RankStep step, timeline::RankProgram& program);
// Numbers for the expressions of what all ranks have alike.
void put_common_values(ValueReader& reader, NodeId object, Draft& draft);
void read_communication(ValueReader& reader, NodeId object, timeline::CommunicationOp op, Draft& draft);
void read_kernel_event(ValueReader& reader, NodeId object, Draft& draft);
void read_event_record(ValueReader& reader, NodeId object, Draft& draft);
void read_event_wait(ValueReader& reader, NodeId object, Draft& draft);
void read_sync(ValueReader& reader, NodeId object, Draft& draft);
void read_graph(ValueReader& reader, NodeId object, Draft& draft);
void read_graph_launch(ValueReader& reader, NodeId object, Draft& draft);
void keep_launches_that_happen(Application& app);
void check_graphs_are_launched(const Draft& draft, Diagnostics& errors);
// Counts launches of one that was read before; an error if they are too many.
void count_launches(ValueReader& reader, NodeId object, std::uint64_t launches, Draft& draft);
// The member of that name; 0 if there is none.
NodeId field(ValueReader& reader, NodeId object, std::string_view name);
// The parameters in order: [{"i32": 2}, {"buffer": "temp"}, {"struct": [...]}].
void read_arguments(ValueReader& reader, NodeId array, const Draft& draft, tasklist::Launch& into);

} // namespace kerncast::application
