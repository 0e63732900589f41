// From a name or a file to GPUs: files, settings, checks, ISA table; every error found is reported.
//
// The chain of files is read when the GPU is opened; the rules of its compute capability and the rows of its
// architecture when they are first asked for. Variants whose units are the same share their ISA table.
#include "configs/variants.h"

#include <map>
#include <mutex>
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
#include "stand_ins.h"
#include "statements.h"

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
  else if (const std::string near = suggestion(name, known); !near.empty())
    d.notes = {near};
  d.notes.emplace_back("'kerncast gpus list' prints the GPUs; a file's name must end in .toml");
  return fail(std::move(d));
}

Expected<fs::path> locate_gpu(std::string_view name_or_file, const ConfigPath& path) {
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

// What an ISA table depends on beside its rows.
std::string text_of(const std::vector<Unit>& units) {
  std::string text;
  for (const Unit& unit : units) {
    text += unit.name;
    for (const Key<Unit>& key : unit_keys())
      text += fmt::format(" {}", to_text(key.get(unit)));
    text += '\n';
  }
  return text;
}

} // namespace

struct GpuVariants::Files {
  // Of one architecture.
  struct Isa {
    std::vector<NamedRow> rows;
    std::string units; // of `table`
    std::shared_ptr<const IsaTable> table;
  };

  // Of one compute capability.
  struct Rules {
    std::vector<Document> layers; // empty: there are none
    Diagnostics errors;
  };

  fs::path file;
  ConfigPath path;
  std::vector<Document> layers;
  Diagnostics errors; // of the files

  std::mutex mutex = {}; // guards what follows
  std::map<std::string, Isa> isa = {};
  std::map<std::string, Rules> capabilities = {};

  std::shared_ptr<const IsaTable> isa_of(const Gpu& gpu, const Statements& statements, Diagnostics& found) {
    const std::lock_guard lock(mutex);
    auto known = isa.find(gpu.architecture);
    if (known == isa.end()) {
      auto rows = read_isa(gpu, statements, join({file.parent_path() / "isa"}, isa_folders(path)), found);
      if (!rows)
        return nullptr;
      known = isa.emplace(gpu.architecture, Isa{std::move(*rows), {}, nullptr}).first;
    }
    Isa& of_architecture = known->second;
    const std::string units = text_of(gpu.units);
    if (of_architecture.table && of_architecture.units == units)
      return of_architecture.table;
    const std::size_t before = found.size();
    auto table = resolve_isa(of_architecture.rows, gpu, statements, found);
    if (found.size() == before) {
      of_architecture.units = units;
      of_architecture.table = table;
    }
    return table;
  }

  // The files of base/NAME.toml; none: there is no such capability in the database.
  const Rules& rules_of(const std::string& name) {
    const std::lock_guard lock(mutex);
    auto known = capabilities.find(name);
    if (known == capabilities.end()) {
      Rules rules;
      if (const auto rules_file = find_file(name, base_folders(path)))
        rules.layers = read_layers(*rules_file, path, rules.errors);
      known = capabilities.emplace(name, std::move(rules)).first;
    }
    return known->second;
  }

  void check_against_capability(Gpu& gpu, const Statements& statements, Diagnostics& found) {
    const auto& [rules, errors_of_rules] =
        rules_of(capability_file(gpu.compute_capability_major, gpu.compute_capability_minor));
    append(found, errors_of_rules);
    if (!rules.empty())
      check_capability(gpu, statements, Statements(rules, {}, found), found);
    else
      check_unknown_capability(gpu, statements, found);
  }

  std::vector<Document> bring_limits_to(std::vector<Document> to, Diagnostics& found) {
    return bring_limits(std::move(to), [&](const std::string& name) {
      const Rules& rules = rules_of(name);
      append(found, rules.errors);
      return rules.layers;
    });
  }

  // Of all layers and settings: a capability that is set brings its limits, too.
  Statements statements_with(const std::vector<Setting>& settings, Diagnostics& found) {
    Document set;
    for (const Setting& setting : settings)
      if (setting.key.starts_with("compute_capability."))
        if (const auto match = find_key(setting.key))
          set.entries.push_back({setting.key, set_value(match->facts(), setting.value), {}, {}});
    if (set.entries.empty())
      return Statements(layers, settings, found);
    std::vector<Document> with_set = layers;
    with_set.insert(with_set.begin(), std::move(set));
    with_set = bring_limits_to(std::move(with_set), found);
    with_set.erase(with_set.begin()); // the settings come by themselves
    return Statements(with_set, settings, found);
  }
};

GpuVariants::GpuVariants(std::shared_ptr<Files> files) : files_(std::move(files)) {}

Expected<GpuVariants> GpuVariants::open(std::string_view name_or_file, const ConfigPath& path) {
  const auto file = locate_gpu(name_or_file, path);
  if (!file)
    return tl::unexpected(file.error());
  auto files = std::shared_ptr<Files>(new Files{*file, path, {}, {}});
  std::vector<Document> layers = read_layers(*file, path, files->errors);
  files->layers = files->bring_limits_to(std::move(layers), files->errors);
  return GpuVariants(std::move(files));
}

Expected<void> GpuVariants::check(const std::vector<Setting>& settings) const {
  Diagnostics errors = files_->errors;
  const Statements statements(files_->layers, settings, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

Expected<Gpu> GpuVariants::with(const std::vector<Setting>& settings) const {
  Diagnostics errors = files_->errors;
  const Statements statements = files_->statements_with(settings, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  Gpu gpu = build_gpu(statements, files_->file.stem().string(), files_->file.string(), errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  note_stand_ins(gpu, files_->layers, statements);
  follow_settings(gpu, statements);
  check_followed(gpu, errors);
  check_gpu(gpu, statements, errors);
  files_->check_against_capability(gpu, statements, errors);
  gpu.isa = files_->isa_of(gpu, statements, errors);
  if (errors.empty()) {
    note_unused_units(gpu);
    check_peaks(gpu, statements, errors);
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return gpu;
}

} // namespace kerncast::configs
