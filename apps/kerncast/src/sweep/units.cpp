#include "sweep/units.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "support/byte_parts.h"
#include "sweep/reach.h"
#include "sweep/result_row.h"

namespace kerncast::app {
namespace {

// Points by what reaches hit rates, the most expensive part of a prediction.
std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<std::uint32_t>& all,
                                                  const sweep::Plan& plan) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  for (const std::uint32_t p : all) {
    const sweep::Point& point = plan.points[p];
    std::string values = plan.bases[point.base].name;
    for (const configs::Setting& setting : point.settings)
      if (reaches_hits(setting.key) || reaches_programs(setting.key))
        values += ' ' + setting.value;
    groups[values].push_back(p);
  }
  std::vector<std::vector<std::uint32_t>> points;
  for (auto& [values, of_group] : groups)
    points.push_back(std::move(of_group));
  return points;
}

std::vector<std::uint32_t> missing_points(const SweepJob& job, std::uint32_t app,
                                          const std::vector<std::uint32_t>& points,
                                          const std::vector<sweep::Fingerprint>& there) {
  if (there.empty())
    return points;
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t p : points) {
    const sweep::Point& point = job.plan.points[p];
    const sweep::Fingerprint key =
        sweep::key_of(job.apps[app].name, job.plan.bases[point.base].name, sweep::text_of(point));
    if (!std::binary_search(there.begin(), there.end(), key))
      missing.push_back(p);
  }
  return missing;
}

// In pieces of so many points.
void add_units(const WorkUnit& all, std::size_t together, std::vector<WorkUnit>& units) {
  for (std::size_t first = 0; first < all.points.size(); first += together) {
    const auto begin = all.points.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(together, all.points.size() - first);
    units.push_back({.group = all.group,
                     .app = all.app,
                     .points = {begin, begin + static_cast<std::ptrdiff_t>(count)},
                     .shared = {}});
  }
}

} // namespace

std::string encode(const WorkUnit& unit) {
  std::string numbers = fmt::format("{} {} {:d}", unit.group, unit.app, unit.finds);
  for (const std::uint32_t point : unit.points)
    numbers += fmt::format(" {}", point);
  std::string bytes;
  append_part(numbers, bytes);
  return bytes + unit.shared;
}

WorkUnit decode_unit(std::string_view bytes) {
  WorkUnit unit;
  std::istringstream in{std::string(take_part(bytes))};
  in >> unit.group >> unit.app >> unit.finds;
  for (std::uint32_t point = 0; in >> point;)
    unit.points.push_back(point);
  unit.shared = bytes;
  return unit;
}

std::string encode(const UnitReport& report) {
  std::string bytes;
  append_part(fmt::format("{}", report.group), bytes);
  return bytes + report.shared;
}

UnitReport decode_report(std::string_view bytes) {
  UnitReport report;
  report.group = static_cast<std::uint32_t>(std::stoul(std::string(take_part(bytes))));
  report.shared = bytes;
  return report;
}

double expected_cost(const SweepJob& job, const WorkUnit& unit) {
  return job.apps[unit.app].warps * static_cast<double>(unit.points.size());
}

std::vector<WorkUnit> missing_units(const SweepJob& job, const std::vector<std::uint32_t>& points,
                                    const std::vector<sweep::Fingerprint>& there, std::size_t workers) {
  // So small that workers end together, however long one unit may take.
  constexpr double most_together = 32, units_per_worker = 64;
  double rows = 0; // in warps
  for (const ApplicationFacts& app : job.apps)
    rows += app.warps * static_cast<double>(points.size());
  const double of_unit = rows / (units_per_worker * static_cast<double>(std::max<std::size_t>(1, workers)));
  const std::vector<std::vector<std::uint32_t>> groups = groups_of(points, job.plan);
  std::vector<WorkUnit> units;
  std::uint32_t number = 0;
  for (std::uint32_t a = 0; a < job.apps.size(); ++a) {
    const double fitting = of_unit / std::max(1.0, job.apps[a].warps);
    const auto together = static_cast<std::size_t>(std::clamp(fitting, 1.0, most_together));
    for (const std::vector<std::uint32_t>& group : groups)
      add_units({.group = number++, .app = a, .points = missing_points(job, a, group, there), .shared = {}},
                together, units);
  }
  return units;
}

} // namespace kerncast::app
