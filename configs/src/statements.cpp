#include "statements.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "clock.h"
#include "gpu_keys.h"
#include "support/suggest.h"

namespace kerncast::configs {
namespace {

// The engine keeps the units that a warp waits for in one word.
constexpr std::size_t most_units = 64;

Diagnostic too_many_units(const std::string& file, std::size_t units) {
  Diagnostic d;
  d.file = file;
  d.message = fmt::format("{} units, but at most {} are simulated", units, most_units);
  d.notes = {"leave out units that no row of the ISA table names"};
  return d;
}

std::string unit_key(const std::string& unit, std::string_view name) {
  return fmt::format("units.{}.{}", unit, name);
}

// Sets the keys of one object; `prefix` is "" for the GPU, "units.NAME." for a unit.
template <class Object>
void set_all(Object& object, std::span<const Key<Object>> rows, const std::string& prefix,
             const Statements& statements, const std::string& file, Diagnostics& errors) {
  for (const Key<Object>& row : rows) {
    const std::string key = prefix + std::string(row.facts.name);
    if (const Entry* entry = statements.find(key))
      row.set(object, is_word(row.facts, entry->value) ? Value(0.0) : entry->value);
    else if (row.facts.presence == Presence::required)
      errors.push_back(missing_key(file, key, row.facts.meaning));
  }
}

// What a prediction must name of one statement.
void note_assumption(Gpu& gpu, const Entry& entry, const KeyFacts& facts) {
  const std::string statement = fmt::format("{} = {}", entry.key, to_text(entry.value));
  if (entry.basis.evidence == Evidence::guess)
    gpu.assumptions.push_back(fmt::format("{}: {} is a guess: {}", gpu.name, statement, entry.basis.source));
  if (is_word(facts, entry.value) && to_text(entry.value) == "not checked")
    gpu.assumptions.push_back(
        fmt::format("{}: {} by {}: what follows from {} may contradict the rest of the description", gpu.name,
                    statement, describe(entry.origin), entry.key));
}

} // namespace

Statements::Statements(const std::vector<Document>& layers, const std::vector<Setting>& settings,
                       Diagnostics& errors) {
  for (auto document = layers.rbegin(); document != layers.rend(); ++document, ++layer_) {
    if (document->limits_anew)
      withdraw_limits();
    for (const Entry& entry : document->entries)
      add(entry, errors);
  }
  for (const Setting& setting : settings)
    add_setting(setting, errors);
}

const Entry* Statements::find(const std::string& key) const {
  const auto found = stated_.find(key);
  return found == stated_.end() ? nullptr : &found->second;
}

bool Statements::is_set(const std::string& key) const {
  const Entry* entry = find(key);
  return entry != nullptr && entry->origin.source == nullptr;
}

void Statements::withdraw_limits() {
  std::erase_if(stated_, [](const auto& stated) { return stated.first.starts_with("limits."); });
}

void Statements::withdraw_farther(const std::string& key) {
  if (const Entry* entry = find(key); entry != nullptr && entry->layer < layer_)
    stated_.erase(key);
}

void Statements::add(const Entry& entry, Diagnostics& errors) {
  const auto match = find_key(entry.key);
  if (!match) {
    errors.push_back(error_at_key(entry.origin, fmt::format("unknown key '{}'", printable(entry.key)),
                                  notes_for_unknown_key(entry.key)));
    return;
  }
  const KeyFacts& facts = match->facts();
  if (const auto wrong = check_value(facts, entry.value)) {
    errors.push_back(error_at_value(entry.origin, fmt::format("{} {}", entry.key, *wrong),
                                    {fmt::format("{}: {}{}{}", entry.key, facts.meaning,
                                                 facts.unit.empty() ? "" : ", in ", facts.unit)}));
    return;
  }
  // Of clock_mhz and a choice of clock the nearer one counts.
  if (entry.key == "clock_mhz")
    withdraw_farther("clock");
  else if (entry.key == "clock" && std::get<std::string>(entry.value) != "stated")
    withdraw_farther("clock_mhz");
  if (withdraws(facts, entry.value)) {
    stated_.erase(entry.key);
    return;
  }
  const std::string& unit = match->unit_name;
  if (!unit.empty() && std::find(unit_names_.begin(), unit_names_.end(), unit) == unit_names_.end())
    unit_names_.push_back(unit);
  Entry stated = entry;
  stated.layer = layer_;
  stated_[entry.key] = std::move(stated);
}

void Statements::add_setting(const Setting& setting, Diagnostics& errors) {
  const auto match = find_key(setting.key);
  const Entry entry{
      setting.key, match ? set_value(match->facts(), setting.value) : Value(setting.value), {}, {}, layer_};
  // A setting changes a unit; a misspelt name must not become a new one.
  if (match && !match->unit_name.empty() &&
      std::find(unit_names_.begin(), unit_names_.end(), match->unit_name) == unit_names_.end()) {
    const std::string near = nearest(match->unit_name, unit_names_);
    errors.push_back(error_at_key(
        entry.origin, fmt::format("the GPU has no unit '{}' (key '{}')", match->unit_name, setting.key),
        {near.empty() ? fmt::format("its units are {}", fmt::join(unit_names_, ", "))
                      : fmt::format("did you mean '{}'?", near)}));
    return;
  }
  add(entry, errors);
}

Diagnostic missing_key(const std::string& file, std::string_view key, std::string_view meaning) {
  Diagnostic d;
  d.file = file;
  d.message = fmt::format("missing key '{}': {}", key, meaning);
  d.notes = {"state it, or inherit from a file that does"};
  return d;
}

Gpu build_gpu(const Statements& statements, const std::string& name, const std::string& file,
              Diagnostics& errors) {
  Gpu gpu;
  gpu.name = name;
  set_all(gpu, gpu_keys(), "", statements, file, errors);
  for (const std::string& unit_name : statements.unit_names()) {
    Unit unit;
    unit.name = unit_name;
    set_all(unit, unit_keys(), unit_key(unit_name, ""), statements, file, errors);
    gpu.units.push_back(std::move(unit));
  }
  if (gpu.units.empty())
    errors.push_back(
        missing_key(file, "units.NAME.latency", find_key("units.NAME.latency")->facts().meaning));
  if (gpu.units.size() > most_units)
    errors.push_back(too_many_units(file, gpu.units.size()));
  for (const auto& [key, entry] : statements.all()) {
    gpu.origins[key] = {describe(entry.origin), entry.basis.evidence, entry.basis.source, entry.basis.error};
    note_assumption(gpu, entry, find_key(key)->facts());
  }
  choose_clock(gpu, statements, file, errors);
  return gpu;
}

} // namespace kerncast::configs
