// The parts of an application file, one reader each; read.cpp puts them together.
#pragma once

#include <map>

#include "application/application.h"
#include "launch_set.h"
#include "json/object_reader.h"

namespace kerncast::application {

using json::Field;
using json::Need;
using json::NodeId;
using json::ValueReader;

// What the readers of buffers and events fill.
struct Draft {
  Application app;
  LaunchSet launches;
  std::map<std::string, std::uint32_t, std::less<>> buffer_numbers;
  std::map<std::string, std::uint32_t, std::less<>> texture_numbers;
  std::uint64_t total_launches = 0;
};

void read_buffers(ValueReader& reader, NodeId object, Draft& draft);
// The number of the buffer that a string names; an error if there is none.
std::optional<std::uint32_t> find_buffer(ValueReader& reader, NodeId value, const Draft& draft);
// The modules' variables: {"table": {"bytes": 256, "init": {...}}}.
void read_variables(ValueReader& reader, NodeId object, Draft& draft);
void read_textures(ValueReader& reader, NodeId object, Draft& draft);
void read_event(ValueReader& reader, NodeId object, Draft& draft);
void read_kernel_event(ValueReader& reader, NodeId object, Draft& draft);
// The parameters in order: [{"i32": 2}, {"buffer": "temp"}, {"struct": [...]}].
void read_arguments(ValueReader& reader, NodeId array, const Draft& draft, tasklist::Launch& into);

} // namespace kerncast::application
