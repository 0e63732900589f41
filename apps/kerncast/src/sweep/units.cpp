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

// Points with the same hit rates, the most expensive part of a prediction.
using Alike = std::vector<std::uint32_t>;

// A GPU at a point, as far as `reaches` says.
std::string values_at(const sweep::Plan& plan, std::uint32_t p, bool (*reaches)(std::string_view key)) {
  const sweep::Point& point = plan.points[p];
  std::string values = plan.bases[point.base].name;
  for (const configs::Setting& setting : point.settings)
    if (reaches(setting.key) || reaches_programs(setting.key))
      values += fmt::format(" {}={}", setting.key, setting.value);
  return values;
}

// [what L1s let through][L2].
std::vector<std::vector<Alike>> alike_by_l1(const std::vector<std::uint32_t>& points,
                                            const sweep::Plan& plan) {
  std::map<std::string, std::map<std::string, Alike>> by_values;
  for (const std::uint32_t p : points)
    by_values[values_at(plan, p, reaches_l1_hits)][values_at(plan, p, reaches_hits)].push_back(p);
  std::vector<std::vector<Alike>> by_l1;
  for (auto& [l1, by_l2] : by_values) {
    by_l1.emplace_back();
    for (auto& [l2, alike] : by_l2)
      by_l1.back().push_back(std::move(alike));
  }
  return by_l1;
}

// Points of which hit rates are found together: of the same accesses to up to so many L2s.
using Group = std::vector<Alike>;

std::vector<Group> groups_of(std::vector<std::vector<Alike>> by_l1, std::size_t most_l2s) {
  std::vector<Group> groups;
  for (std::vector<Alike>& by_l2 : by_l1)
    for (std::size_t i = 0; i < by_l2.size(); ++i) {
      if (i % most_l2s == 0)
        groups.emplace_back();
      groups.back().push_back(std::move(by_l2[i]));
    }
  return groups;
}

// L2s of a group: enough groups should be left to find that all workers can take part.
std::size_t most_l2s(const std::vector<std::vector<Alike>>& by_l1, std::size_t apps, std::size_t workers) {
  constexpr std::size_t most = 64, groups_per_worker = 2;
  std::size_t alike = 0;
  for (const std::vector<Alike>& by_l2 : by_l1)
    alike += by_l2.size();
  const std::size_t groups = groups_per_worker * std::max<std::size_t>(1, workers);
  return std::clamp<std::size_t>((alike * apps + groups - 1) / groups, 1, most);
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
    units.push_back(all);
    units.back().is_group = count == all.points.size();
    units.back().points = {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
}

// Some are no possible GPU: several in different places.
void add_samples(const Alike& alike, std::vector<std::uint32_t>& points) {
  if (alike.empty())
    return;
  points.push_back(alike.front());
  for (const std::size_t other : {alike.size() / 2, alike.size() - 1})
    if (alike[other] != points.back())
      points.push_back(alike[other]);
}

// Of one application and group.
void add_missing(const SweepJob& job, std::uint32_t app, const Group& group,
                 const std::vector<sweep::Fingerprint>& there, std::size_t together, MissingUnits& missing) {
  WorkUnit rows{
      .group = static_cast<std::uint32_t>(missing.finding.size()), .app = app, .points = {}, .shared = {}};
  WorkUnit finding = rows;
  finding.finds = true;
  for (const Alike& all : group) {
    const Alike alike = missing_points(job, app, all, there);
    add_samples(alike, finding.points);
    rows.points.insert(rows.points.end(), alike.begin(), alike.end());
  }
  add_units(rows, together, missing.units);
  missing.finding.push_back(std::move(finding));
}

} // namespace

std::string encode(const WorkUnit& unit) {
  std::string numbers = fmt::format("{} {} {:d} {:d}", unit.group, unit.app, unit.is_group, unit.finds);
  for (const std::uint32_t point : unit.points)
    numbers += fmt::format(" {}", point);
  std::string bytes;
  append_part(numbers, bytes);
  return bytes + unit.shared;
}

WorkUnit decode_unit(std::string_view bytes) {
  WorkUnit unit;
  std::istringstream in{std::string(take_part(bytes))};
  in >> unit.group >> unit.app >> unit.is_group >> unit.finds;
  for (std::uint32_t point = 0; in >> point;)
    unit.points.push_back(point);
  unit.shared = bytes;
  return unit;
}

std::string encode(const UnitReport& report) {
  std::string bytes;
  append_part(fmt::format("{} {:d}", report.group, report.is_stopped), bytes);
  return bytes + report.shared;
}

UnitReport decode_report(std::string_view bytes) {
  UnitReport report;
  std::istringstream in{std::string(take_part(bytes))};
  in >> report.group >> report.is_stopped;
  report.shared = bytes;
  return report;
}

double expected_cost(const SweepJob& job, const WorkUnit& unit) {
  return job.apps[unit.app].warps * static_cast<double>(unit.points.size());
}

MissingUnits missing_units(const SweepJob& job, const std::vector<std::uint32_t>& points,
                           const std::vector<sweep::Fingerprint>& there, std::size_t workers) {
  // So small that workers end together, however long one unit may take; but not more of them than rank 0 can
  // give out while many workers work.
  constexpr double most_together = 32, units_per_worker = 64, most_units = 65'536;
  double rows = 0; // in warps
  for (const ApplicationFacts& app : job.apps)
    rows += app.warps * static_cast<double>(points.size());
  const double of_unit =
      rows / std::min(most_units, units_per_worker * static_cast<double>(std::max<std::size_t>(1, workers)));
  std::vector<std::vector<Alike>> by_l1 = alike_by_l1(points, job.plan);
  const std::size_t l2s = most_l2s(by_l1, job.apps.size(), workers);
  const std::vector<Group> groups = groups_of(std::move(by_l1), l2s);
  MissingUnits missing;
  for (std::uint32_t a = 0; a < job.apps.size(); ++a) {
    const double fitting = of_unit / std::max(1.0, job.apps[a].warps);
    const auto together = static_cast<std::size_t>(std::clamp(fitting, 1.0, most_together));
    for (const Group& group : groups)
      add_missing(job, a, group, there, together, missing);
  }
  return missing;
}

} // namespace kerncast::app
