#include "application/read.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "parts.h"
#include "support/compressed_text.h"

namespace kerncast::application {
namespace {

constexpr std::string_view hint = "docs/schemas/kerncast-app-1.schema.json says what a file may contain";

void read_name(ValueReader& reader, NodeId value, Draft& into) {
  into.app.name = reader.string(value, "name").value_or("");
}

void read_modules(ValueReader& reader, NodeId array, Draft& into) {
  if (!reader.expect(array, json::Kind::array, "modules"))
    return;
  const std::filesystem::path folder = std::filesystem::path(into.app.source.name()).parent_path();
  reader.for_each_element(array, [&](NodeId element) {
    if (const auto path = reader.string(element, "a module's path"))
      into.app.modules.push_back({folder / *path, reader.place(element)});
  });
}

void read_ranks(ValueReader& reader, NodeId value, Draft& into) {
  into.values.set_ranks(reader.natural(value, "ranks", {1, max_ranks}).value_or(1));
  into.app.program.ranks = into.values.ranks();
}

// After the ranks.
void read_devices(ValueReader& reader, NodeId value, Draft& into) {
  if (into.app.program.ranks > 0)
    return reader.error(value, "an application has several ranks or several devices, not both",
                        {"each rank has one GPU: let there be more ranks"});
  into.app.devices =
      static_cast<std::uint32_t>(reader.natural(value, "devices", {1, timeline::max_devices}).value_or(1));
}

void read_let(ValueReader& reader, NodeId object, Draft& into) { into.values.define(reader, object); }

// With numbers for its expressions.
template <void (*read)(ValueReader&, NodeId, Draft&)>
void read_common(ValueReader& reader, NodeId object, Draft& into) {
  const std::size_t errors = into.errors->size();
  put_common_values(reader, object, into);
  if (into.errors->size() == errors)
    read(reader, object, into);
}

void read_events(ValueReader& reader, NodeId array, Draft& into) {
  if (!reader.expect(array, json::Kind::array, "events"))
    return;
  reader.for_each_element(array, [&](NodeId element) { read_event(reader, element, into); });
}

void read_event_count(ValueReader& reader, NodeId value, Draft& into) {
  into.event_count = reader.natural(value, "event_count", {0, max_launches});
}

// Of the heap that kernels malloc from.
void read_malloc_heap_bytes(ValueReader& reader, NodeId value, Draft& into) {
  constexpr std::uint64_t most = std::uint64_t{4} << 30;
  into.app.malloc_heap_bytes = reader.natural(value, "malloc_heap_bytes", {0, most});
}

// Buffers before textures and events, which name them; `format` is checked before anything else.
constexpr Field<Draft> document_fields[] = {{"format", Need::required, json::read_nothing<Draft>},
                                            {"name", Need::required, read_name},
                                            {"modules", Need::required, read_modules},
                                            {"ranks", Need::optional, read_ranks},
                                            {"devices", Need::optional, read_devices},
                                            {"let", Need::optional, read_let},
                                            {"buffers", Need::optional, read_common<read_buffers>},
                                            {"variables", Need::optional, read_common<read_variables>},
                                            {"textures", Need::optional, read_common<read_textures>},
                                            {"tensor_maps", Need::optional, read_common<read_tensor_maps>},
                                            {"malloc_heap_bytes", Need::optional, read_malloc_heap_bytes},
                                            {"events", Need::required, read_events}};
constexpr Field<Draft> header_fields[] = {{"format", Need::required, json::read_nothing<Draft>},
                                          {"name", Need::required, read_name},
                                          {"modules", Need::required, read_modules},
                                          {"ranks", Need::optional, read_ranks},
                                          {"devices", Need::optional, read_devices},
                                          {"let", Need::optional, read_let},
                                          {"buffers", Need::optional, read_common<read_buffers>},
                                          {"variables", Need::optional, read_common<read_variables>},
                                          {"textures", Need::optional, read_common<read_textures>},
                                          {"tensor_maps", Need::optional, read_common<read_tensor_maps>},
                                          {"malloc_heap_bytes", Need::optional, read_malloc_heap_bytes},
                                          {"event_count", Need::optional, read_event_count}};

struct FormatRow {
  std::string_view name;
};

// False, with an error, unless the document says that it is of the version we read: the fields of another
// version would only raise errors that mislead.
bool check_format(ValueReader& reader, NodeId document) {
  constexpr FormatRow formats[] = {{format_name}};
  constexpr std::string_view family = "kerncast-app/";
  NodeId value = 0;
  if (reader.node(document).kind == json::Kind::object)
    reader.for_each_member(document, [&](NodeId key, NodeId member) {
      value = reader.tree().text(key) == "format" ? member : value;
    });
  const bool is_string = value != 0 && reader.node(value).kind == json::Kind::string;
  if (is_string && reader.tree().text(value) != format_name &&
      reader.tree().text(value).starts_with(family)) {
    reader.error(
        value,
        fmt::format("format '{}', but this program reads '{}'", reader.tree().text(value), format_name),
        {"use the release of kerncast that wrote the file"});
    return false;
  }
  return choose_row(reader, document, "application", "format", "format", formats) != nullptr;
}

template <class F>
void with_document(Draft& draft, std::size_t begin, std::size_t end, std::size_t error_limit,
                   Diagnostics& errors, F&& f) {
  const SourceText& source = draft.app.source;
  Expected<json::Tree> tree = json::parse(source, begin, end);
  if (!tree) {
    errors.insert(errors.end(), tree.error().begin(), tree.error().end());
    return;
  }
  ValueReader reader(source, *tree, {hint, error_limit}, errors);
  draft.tree = &*tree;
  draft.errors = &errors;
  f(reader);
}

void read_document(Draft& draft, std::size_t error_limit, Diagnostics& errors) {
  with_document(draft, 0, draft.app.source.text().size(), error_limit, errors, [&](ValueReader& reader) {
    if (!check_format(reader, 0))
      return;
    read_object(reader, 0, "application", document_fields, draft);
    draft.values.check_options(reader, 0);
  });
}

// A trace cut between two lines looks whole, but for its header.
void check_event_count(const Draft& draft, Diagnostics& errors) {
  const SourceText& source = draft.app.source;
  const std::size_t found = draft.event_lines;
  if (draft.event_count && *draft.event_count != found)
    errors.push_back(
        source.error(source.place(source.text().size()), 1,
                     fmt::format("the file ends after {} of {} events", found, *draft.event_count),
                     {"event_count of the header says how many there are; write the file again"}));
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

void read_line(ValueReader& reader, bool is_header, Draft& draft) {
  if (!is_header) {
    ++draft.event_lines;
    read_event(reader, 0, draft);
  } else if (check_format(reader, 0)) {
    read_object(reader, 0, "header", header_fields, draft);
    draft.values.check_options(reader, 0);
  }
}

void read_lines(Draft& draft, std::size_t error_limit, Diagnostics& errors) {
  const SourceText& source = draft.app.source;
  bool header = true;
  for (std::size_t begin = 0; begin < source.text().size();) {
    const std::size_t end = std::min(source.text().find('\n', begin), source.text().size());
    if (!is_blank(std::string_view(source.text()).substr(begin, end - begin))) {
      with_document(draft, begin, end, error_limit, errors,
                    [&](ValueReader& reader) { read_line(reader, header, draft); });
      header = false;
    }
    // Without its header nothing else of the file can be understood.
    const bool enough = error_limit != 0 && errors.size() >= error_limit;
    if (enough || (!errors.empty() && draft.event_lines == 0 && draft.app.name.empty()))
      return;
    begin = end + 1;
  }
  if (header)
    errors.push_back(
        source.error({1, 1}, 1, "no header line", {"start with {\"format\": \"kerncast-app/1\", ...}"}));
  if (errors.empty())
    check_event_count(draft, errors);
}

void check_init_file(const Application& app, std::string_view what, const Buffer& buffer,
                     Diagnostics& errors) {
  const auto path = std::filesystem::path(app.source.name()).parent_path() / buffer.contents.path;
  std::error_code unreadable;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unreadable);
  if (unreadable)
    errors.push_back(app.source.error(
        buffer.init_place, 1, fmt::format("cannot read '{}': {}", path.string(), unreadable.message()),
        {"paths are relative to the application file"}));
  else if (bytes != buffer.bytes)
    errors.push_back(app.source.error(buffer.init_place, 1,
                                      fmt::format("'{}' has {} bytes, the {} '{}' has {}", path.string(),
                                                  bytes, what, buffer.name, buffer.bytes),
                                      {"make them equal"}));
}

// Files that buffers and variables are read from.
void check_init_files(const Application& app, Diagnostics& errors) {
  const auto check = [&](std::string_view what, const std::vector<Buffer>& list) {
    for (const Buffer& buffer : list)
      if (buffer.contents.kind == InitKind::file)
        check_init_file(app, what, buffer, errors);
  };
  check("buffer", app.buffers);
  check("variable", app.variables);
}

} // namespace

Expected<Application> read_application(SourceText source, std::size_t error_limit, const RankOptions& ranks) {
  Draft draft(ranks);
  draft.app.source = std::move(source);
  Diagnostics errors;
  if (uncompressed_name(draft.app.source.name()).ends_with(".jsonl"))
    read_lines(draft, error_limit, errors);
  else
    read_document(draft, error_limit, errors);
  if (errors.empty())
    check_graphs_are_launched(draft, errors);
  if (!errors.empty()) {
    std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return tl::unexpected(std::move(errors));
  }
  draft.app.launches = draft.launches.take();
  keep_launches_that_happen(draft.app);
  return std::move(draft.app);
}

Expected<Application> load_application(SourceText source, std::size_t error_limit, const RankOptions& ranks) {
  Expected<Application> app = read_application(std::move(source), error_limit, ranks);
  if (!app)
    return app;
  Diagnostics errors;
  check_init_files(*app, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return app;
}

} // namespace kerncast::application
