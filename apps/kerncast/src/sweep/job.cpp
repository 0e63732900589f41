#include "sweep/job.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "checks.h"
#include "sweep/check_sweep.h"
#include "sweep/names.h"
#include "sweep/program_version.h"
#include "sweep/reach.h"

namespace kerncast::app {
namespace {

// Points, GPUs and applications: rows of sweeps that agree in it can be mixed.
Expected<sweep::Fingerprint> inputs_of(const SweepJob& job) {
  std::string text;
  for (const sweep::Base& base : job.plan.bases) {
    const Expected<configs::Gpu> gpu = base.variants.with({});
    if (!gpu)
      return tl::unexpected(gpu.error());
    text += fmt::format("{} {}\n", base.name, sweep::hash_of(*gpu).text());
  }
  for (const SweepApplication& app : job.apps)
    text += fmt::format("{} {}\n", app.input.name, app.contents.text());
  std::vector<std::string> points;
  for (const sweep::Point& point : job.plan.points)
    points.push_back(fmt::format("{} {}\n", job.plan.bases[point.base].name, sweep::text_of(point)));
  std::sort(points.begin(), points.end());
  for (const std::string& point : points)
    text += point;
  return sweep::fingerprint(text);
}

struct Parts {
  sweep::SweepFile file;
  sweep::Plan plan;
};

Expected<Parts> read_parts(SourceText source, const configs::ConfigPath& path) {
  Expected<sweep::SweepFile> file = sweep::read_sweep(std::make_shared<const SourceText>(std::move(source)));
  if (!file)
    return tl::unexpected(file.error());
  Expected<sweep::Plan> plan = sweep::make_plan(*file, path);
  if (!plan)
    return tl::unexpected(plan.error());
  return Parts{std::move(*file), std::move(*plan)};
}

Expected<void> check_objectives(const Parts& parts, const std::vector<std::string>& apps) {
  return sweep::check_names(parts.file, parts.plan, result_names(apps));
}

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
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t p : points) {
    const sweep::Point& point = job.plan.points[p];
    const sweep::Fingerprint key =
        sweep::key_of(job.apps[app].input.name, job.plan.bases[point.base].name, sweep::text_of(point));
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
    units.push_back({all.group, all.app, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
  }
}

} // namespace

std::set<std::string> result_names(const std::vector<std::string>& apps) {
  std::set<std::string> names;
  for (const char* result : {"total_time_us", "gpu_busy_us"}) {
    names.insert(result);
    for (const std::string& app : apps)
      names.insert(fmt::format("{}.{}", app, result));
  }
  return names;
}

void read_files(const SourceText& source, const configs::ConfigPath& path, std::size_t threads) {
  if (const Expected<Parts> parts = read_parts(source, path))
    (void)read_applications(parts->file, threads);
}

Expected<SweepJob> prepare_sweep(SourceText source, const configs::ConfigPath& path, std::size_t threads) {
  Expected<Parts> parts = read_parts(std::move(source), path);
  if (!parts)
    return tl::unexpected(parts.error());
  Expected<std::vector<SweepApplication>> apps = load_applications(parts->file, threads);
  if (!apps)
    return tl::unexpected(apps.error());
  std::vector<std::string> names;
  for (const SweepApplication& app : *apps)
    names.push_back(app.input.name);
  if (const Expected<void> known = check_objectives(*parts, names); !known)
    return tl::unexpected(known.error());
  SweepJob job{std::move(parts->file), std::move(parts->plan), std::move(*apps), {}};
  const Expected<sweep::Fingerprint> inputs = inputs_of(job);
  if (!inputs)
    return tl::unexpected(inputs.error());
  job.contents = {job.file.name, program_version(), *inputs, job.plan.keys};
  return job;
}

Expected<std::string> check_sweep(SourceText source, const configs::ConfigPath& path, std::size_t threads) {
  const Expected<Parts> parts = read_parts(std::move(source), path);
  if (!parts)
    return tl::unexpected(parts.error());
  const Expected<std::vector<PredictInput>> inputs = read_applications(parts->file, threads);
  if (!inputs)
    return tl::unexpected(inputs.error());
  std::vector<std::string> names;
  for (const PredictInput& input : *inputs)
    names.push_back(input.name);
  if (const Expected<void> known = check_objectives(*parts, names); !known)
    return tl::unexpected(known.error());
  const sweep::Plan& plan = parts->plan;
  std::string left_out;
  if (plan.refused != 0)
    left_out += fmt::format(", {} refused by constraints", plan.refused);
  if (plan.repeated != 0)
    left_out += fmt::format(", {} alike after rounding", plan.repeated);
  if (plan.points.size() != plan.as_stated)
    left_out += fmt::format(", {} of {}", counted(plan.varied.size(), "sample"),
                            counted(parts->file.uncertain.size(), "uncertain key"));
  if (parts->file.sampling == sweep::Sampling::search)
    return fmt::format("search{}: {} on {}, the best of {}{}, {} of them predicted at most",
                       parts->file.name.empty() ? "" : " " + parts->file.name,
                       counted(inputs->size(), "application"), counted(plan.bases.size(), "GPU"),
                       counted(plan.points.size(), "point"), left_out, parts->file.points);
  return fmt::format(
      "sweep{}: {} on {}, {}, {}{}, {}", parts->file.name.empty() ? "" : " " + parts->file.name,
      counted(inputs->size(), "application"), counted(plan.bases.size(), "GPU"),
      parts->file.axes.size() == 1 ? "1 axis" : fmt::format("{} axes", parts->file.axes.size()),
      counted(plan.as_stated, "point"), left_out, counted(plan.points.size() * inputs->size(), "row"));
}

std::string encode(const WorkUnit& unit) {
  std::string text = fmt::format("{} {}", unit.group, unit.app);
  for (const std::uint32_t point : unit.points)
    text += fmt::format(" {}", point);
  return text;
}

WorkUnit decode_unit(const std::string& bytes) {
  WorkUnit unit;
  std::istringstream in(bytes);
  in >> unit.group >> unit.app;
  for (std::uint32_t point = 0; in >> point;)
    unit.points.push_back(point);
  return unit;
}

double expected_cost(const SweepJob& job, const WorkUnit& unit) {
  return job.apps[unit.app].warps * static_cast<double>(unit.points.size());
}

std::vector<WorkUnit> missing_units(const SweepJob& job, const std::vector<std::uint32_t>& points,
                                    const std::vector<sweep::Fingerprint>& there, std::size_t workers) {
  // So small that workers end together, however long one unit may take.
  constexpr double most_together = 32, units_per_worker = 64;
  double rows = 0; // in warps
  for (const SweepApplication& app : job.apps)
    rows += app.warps * static_cast<double>(points.size());
  const double of_unit = rows / (units_per_worker * static_cast<double>(std::max<std::size_t>(1, workers)));
  const std::vector<std::vector<std::uint32_t>> groups = groups_of(points, job.plan);
  std::vector<WorkUnit> units;
  std::uint32_t number = 0;
  for (std::uint32_t a = 0; a < job.apps.size(); ++a) {
    const double fitting = of_unit / std::max(1.0, job.apps[a].warps);
    const auto together = static_cast<std::size_t>(std::clamp(fitting, 1.0, most_together));
    for (const std::vector<std::uint32_t>& group : groups)
      add_units({number++, a, missing_points(job, a, group, there)}, together, units);
  }
  return units;
}

} // namespace kerncast::app
