// A description by itself, and as text.
#include "configs/loader.h"

#include <fmt/format.h>

#include "configs/variants.h"
#include "gpu_keys.h"

namespace kerncast::configs {
namespace {

template <class Object>
void add_values(const Object& object, std::span<const Key<Object>> rows, const std::string& prefix,
                const Gpu& gpu, std::vector<std::pair<std::string, std::string>>& values) {
  for (const Key<Object>& row : rows) {
    std::string key = prefix + std::string(row.facts.name);
    std::string value = shown_value(row.facts, row.get(object), gpu.origins.contains(key));
    values.emplace_back(std::move(key), std::move(value));
  }
}

} // namespace

Expected<Gpu> load_gpu(std::string_view name_or_file, const std::vector<Setting>& settings,
                       const ConfigPath& path) {
  return GpuVariants::open(name_or_file, path).and_then([&](const GpuVariants& gpu) {
    return gpu.with(settings);
  });
}

std::string_view name(Evidence evidence) {
  constexpr std::string_view names[] = {"stated", "specified", "measured", "guess", "follows"};
  return names[static_cast<std::size_t>(evidence)];
}

std::vector<std::pair<std::string, std::string>> resolved_values(const Gpu& gpu) {
  std::vector<std::pair<std::string, std::string>> values;
  add_values(gpu, gpu_keys(), "", gpu, values);
  for (const Unit& unit : gpu.units)
    add_values(unit, unit_keys(), fmt::format("units.{}.", unit.name), gpu, values);
  return values;
}

} // namespace kerncast::configs
