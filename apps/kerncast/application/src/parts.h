// The parts of an application file, one reader each; read.cpp puts them together.
#pragma once

#include <map>
#include <optional>

#include "application/application.h"
#include "application/read.h"
#include "launch_set.h"
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

// What the readers of buffers and events fill.
struct Draft {
  Application app;
  LaunchSet launches;
  std::map<std::string, std::uint32_t, std::less<>> buffer_numbers;
  std::map<std::string, std::uint32_t, std::less<>> texture_numbers;
  std::map<std::string, NamedTensorMap, std::less<>> tensor_maps;
  std::map<std::string, std::uint32_t, std::less<>> cuda_event_numbers; // of those recorded so far
  std::uint64_t total_launches = 0;
  std::optional<std::uint64_t> event_count; // that a trace's header promises
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

template <class T> void read_stream(ValueReader& reader, NodeId value, T& into) {
  into.stream = static_cast<std::uint32_t>(reader.natural(value, "stream", {0, max_stream}).value_or(0));
}

void read_buffers(ValueReader& reader, NodeId object, Draft& draft);
// The number of the buffer that a string names; an error if there is none.
std::optional<std::uint32_t> find_buffer(ValueReader& reader, NodeId value, const Draft& draft);
// The modules' variables: {"table": {"bytes": 256, "init": {...}}}.
void read_variables(ValueReader& reader, NodeId object, Draft& draft);
void read_textures(ValueReader& reader, NodeId object, Draft& draft);
void read_tensor_maps(ValueReader& reader, NodeId object, Draft& draft);
void read_event(ValueReader& reader, NodeId object, Draft& draft);
void read_kernel_event(ValueReader& reader, NodeId object, Draft& draft);
void read_event_record(ValueReader& reader, NodeId object, Draft& draft);
void read_event_wait(ValueReader& reader, NodeId object, Draft& draft);
void read_sync(ValueReader& reader, NodeId object, Draft& draft);
// The parameters in order: [{"i32": 2}, {"buffer": "temp"}, {"struct": [...]}].
void read_arguments(ValueReader& reader, NodeId array, const Draft& draft, tasklist::Launch& into);

} // namespace kerncast::application
