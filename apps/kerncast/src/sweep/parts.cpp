#include "sweep/parts.h"

#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sweep/names.h"

namespace kerncast::app {
namespace {

// Names that objectives may use beside keys and derived values.
std::set<std::string> result_names(const std::vector<std::string>& apps) {
  std::set<std::string> names;
  for (const char* result : {"total_time_us", "gpu_busy_us"}) {
    names.insert(result);
    for (const std::string& app : apps)
      names.insert(fmt::format("{}.{}", app, result));
  }
  return names;
}

} // namespace

Expected<SweepParts> read_parts(SourceText source, const configs::ConfigPath& path) {
  Expected<sweep::SweepFile> file = sweep::read_sweep(std::make_shared<const SourceText>(std::move(source)));
  if (!file)
    return tl::unexpected(file.error());
  Expected<sweep::Plan> plan = sweep::make_plan(*file, path);
  if (!plan)
    return tl::unexpected(plan.error());
  return SweepParts{std::move(*file), std::move(*plan)};
}

Expected<void> check_expressions(const SweepParts& parts, const std::vector<std::string>& apps) {
  return sweep::check_names(parts.file, parts.plan, result_names(apps));
}

} // namespace kerncast::app
