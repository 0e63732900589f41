// From a name or a file to a GPU: files, settings, checks, ISA table; every error found is reported.
#include "configs/loader.h"

#include <optional>

#include <fmt/format.h>

#include "capability.h"
#include "checks.h"
#include "follow.h"
#include "gpu_keys.h"
#include "inherits.h"
#include "isa_table.h"
#include "names.h"
#include "peaks.h"
#include "search.h"
#include "statements.h"
#include "support/suggest.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_suffix = ".toml";

tl::unexpected<Diagnostics> unknown_gpu(std::string_view name, const ConfigPath& path) {
  Diagnostic d;
  d.message = fmt::format("unknown GPU '{}'", name);
  const std::vector<std::string> known = list_gpus(path);
  if (known.empty())
    d.notes = {"there is no GPU database: set KERNCAST_CONFIG_PATH to the folder that holds gpus/ and isa/"};
  else if (const std::string near = nearest(name, known); !near.empty())
    d.notes = {fmt::format("did you mean '{}'?", near)};
  d.notes.emplace_back("'kerncast gpus list' prints the GPUs; a file's name must end in .toml");
  return fail(std::move(d));
}

Expected<fs::path> locate(std::string_view name_or_file, const ConfigPath& path) {
  if (name_or_file.ends_with(file_suffix))
    return fs::path(name_or_file);
  if (is_name(name_or_file))
    if (auto file = find_file(name_or_file, gpu_folders(path)))
      return std::move(*file);
  return unknown_gpu(name_or_file, path);
}

std::vector<fs::path> join(std::vector<fs::path> first, const std::vector<fs::path>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<Document> read_layers(const fs::path& file, const ConfigPath& path, Diagnostics& errors) {
  std::vector<Document> layers;
  const auto visit = [&](const fs::path& next) -> std::optional<Entry> {
    auto document = read_document(next);
    if (!document) {
      append(errors, std::move(document.error()));
      return std::nullopt;
    }
    layers.push_back(std::move(*document));
    return layers.back().inherits;
  };
  follow_inherits(file, join(gpu_folders(path), base_folders(path)), visit, errors);
  return layers;
}

// What a file inherits as a stand-in is a guess as a whole, whatever its numbers rest on.
void note_stand_ins(Gpu& gpu, const std::vector<Document>& layers) {
  for (const Document& layer : layers)
    if (layer.inherits && layer.inherits->basis.evidence == Evidence::guess)
      gpu.assumptions.push_back(fmt::format("{}: all that is inherited from {} is a guess: {}", gpu.name,
                                            to_text(layer.inherits->value), layer.inherits->basis.source));
}

void check_against_capability(const Gpu& gpu, const Statements& statements, const ConfigPath& path,
                              Diagnostics& errors) {
  const std::string name =
      fmt::format("cc-{}.{}", gpu.compute_capability_major, gpu.compute_capability_minor);
  const bool set =
      statements.is_set("compute_capability.major") || statements.is_set("compute_capability.minor");
  const auto file = find_file(name, base_folders(path));
  if (set || !file)
    return;
  const std::vector<Document> layers = read_layers(*file, path, errors);
  check_capability(gpu, statements, Statements(layers, {}, errors), errors);
}

template <class Object>
void add_values(const Object& object, std::span<const Key<Object>> rows, const std::string& prefix,
                std::vector<std::pair<std::string, std::string>>& values) {
  for (const Key<Object>& row : rows)
    values.emplace_back(prefix + std::string(row.facts.name), to_text(row.get(object)));
}

} // namespace

Expected<Gpu> load_gpu(std::string_view name_or_file, const std::vector<Setting>& settings,
                       const ConfigPath& path) {
  const auto file = locate(name_or_file, path);
  if (!file)
    return tl::unexpected(file.error());
  Diagnostics errors;
  const std::vector<Document> layers = read_layers(*file, path, errors);
  const Statements statements(layers, settings, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  Gpu gpu = build_gpu(statements, file->stem().string(), file->string(), errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  note_stand_ins(gpu, layers);
  follow_settings(gpu, statements);
  check_gpu(gpu, statements, errors);
  check_against_capability(gpu, statements, path, errors);
  gpu.isa = load_isa(gpu, statements, join({file->parent_path() / "isa"}, isa_folders(path)), errors);
  if (errors.empty())
    check_peaks(gpu, statements, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return gpu;
}

std::string_view name(Evidence evidence) {
  constexpr std::string_view names[] = {"stated", "specified", "measured", "guess", "follows"};
  return names[static_cast<std::size_t>(evidence)];
}

std::vector<std::pair<std::string, std::string>> resolved_values(const Gpu& gpu) {
  std::vector<std::pair<std::string, std::string>> values;
  add_values(gpu, gpu_keys(), "", values);
  for (const Unit& unit : gpu.units)
    add_values(unit, unit_keys(), fmt::format("units.{}.", unit.name), values);
  return values;
}

} // namespace kerncast::configs
