#include "sweep_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checks.h"
#include "table.h"

namespace kerncast::app {
namespace {

constexpr std::size_t most_shown = 20;

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

const std::string& gpu_of(const SweepJob& job, const sweep::PointResult& point) {
  return job.plan.bases[job.plan.points[point.index].base].name;
}

std::string point_of(const SweepJob& job, const sweep::PointResult& point) {
  return sweep::text_of(job.plan.points[point.index]);
}

std::string front_table(const SweepJob& job, const sweep::Analysis& analysis) {
  std::vector<Column> columns;
  for (const std::string& objective : analysis.objectives)
    columns.push_back({objective, Align::right});
  columns.push_back({"gpu"});
  columns.push_back({"point"});
  Table table(columns);
  for (std::size_t i = 0; i < std::min(most_shown, analysis.front.size()); ++i) {
    const sweep::PointResult& point = analysis.points[analysis.front[i]];
    std::vector<std::string> cells;
    for (const double value : point.objectives)
      cells.push_back(short_number(value));
    cells.push_back(gpu_of(job, point));
    const std::string text = point_of(job, point);
    cells.push_back(text.empty() ? "as it is" : text);
    table.add(std::move(cells));
  }
  return fmt::format("front of {}: {} of {} points are not beaten{}\n{}",
                     fmt::join(analysis.objectives, " and "), analysis.front.size(), analysis.points.size(),
                     analysis.front.size() > most_shown ? fmt::format(", the first {}", most_shown) : "",
                     table.text());
}

std::string sensitivity_table(const sweep::Analysis& analysis) {
  if (analysis.sensitivities.empty())
    return {};
  Table table({{"objective"},
               {"swing", Align::right},
               {"key"},
               {"least", Align::right},
               {"at"},
               {"most", Align::right},
               {"at"}});
  for (const sweep::Sensitivity& s : analysis.sensitivities)
    table.add({analysis.objectives[s.objective], fmt::format("{:.1f} %", 100 * s.swing), s.key,
               short_number(s.least), s.at_least, short_number(s.most), s.at_most});
  return "sensitivity: means over the points with one value of a key\n" + table.text();
}

std::string at_text(const std::string& gpu, const std::string& point) {
  return point.empty() ? gpu : fmt::format("{} with {}", gpu, point);
}

std::string stability_table(const SweepJob& job, const sweep::Analysis& analysis) {
  if (analysis.stabilities.empty())
    return {};
  constexpr std::size_t most_best = 3;
  Table table({{"objective"},
               {"Spearman", Align::right},
               {"least", Align::right},
               {"Kendall", Align::right},
               {"least", Align::right},
               {"best in"}});
  for (const sweep::Stability& s : analysis.stabilities)
    for (std::size_t i = 0; i < std::min(most_best, s.best.size()); ++i) {
      const sweep::PointResult& best = analysis.points[s.best[i].first];
      const auto number = [&](double value) { return i == 0 ? fmt::format("{:.3f}", value) : ""; };
      table.add({i == 0 ? analysis.objectives[s.objective] : "", number(s.mean_spearman),
                 number(s.least_spearman), number(s.mean_kendall), number(s.least_kendall),
                 fmt::format("{} of {}: {}", s.best[i].second, s.samples,
                             at_text(gpu_of(job, best), point_of(job, best)))});
    }
  std::vector<std::string> keys;
  for (const sweep::Uncertain& uncertain : job.file.uncertain)
    keys.push_back(fmt::format("{} by {:g} %", uncertain.key.text, 100 * uncertain.error));
  return fmt::format("order of the points when they vary: {}\n{}", fmt::join(keys, ", "), table.text());
}

std::string points_text(const SweepJob& job, const SweepOutcome& ran) {
  return job.is_search()
             ? fmt::format("{} of {}", ran.rows / job.apps.size(), counted(job.plan.points.size(), "point"))
             : counted(job.plan.as_stated, "point");
}

std::string speed_up_table(const SweepJob& job, const sweep::Analysis& analysis) {
  if (job.plan.bases.size() < 2)
    return {};
  std::vector<Column> columns = {{"application"}};
  for (const sweep::Base& base : job.plan.bases)
    columns.push_back({base.name, Align::right});
  Table table(columns);
  for (const sweep::SpeedUps& of_app : analysis.speed_ups) {
    std::vector<std::string> cells = {of_app.app};
    for (const double value : of_app.on_gpu)
      cells.push_back(value == 0 ? "-" : fmt::format("{:.2f}", value));
    table.add(std::move(cells));
  }
  return "speed-up at the fastest points\n" + table.text();
}

Json stabilities_json(const SweepJob& job, const sweep::Analysis& analysis) {
  Json all = Json::array();
  for (const sweep::Stability& s : analysis.stabilities) {
    Json best = Json::array();
    for (const auto& [i, samples] : s.best)
      best.push_back({{"gpu", gpu_of(job, analysis.points[i])},
                      {"point", point_of(job, analysis.points[i])},
                      {"samples", samples}});
    all.push_back({{"objective", analysis.objectives[s.objective]},
                   {"samples", s.samples},
                   {"spearman", {{"mean", s.mean_spearman}, {"least", s.least_spearman}}},
                   {"kendall", {{"mean", s.mean_kendall}, {"least", s.least_kendall}}},
                   {"best", best}});
  }
  return all;
}

Json objectives_json(const sweep::Analysis& analysis, const sweep::PointResult& point) {
  Json values = Json::object();
  for (std::size_t o = 0; o < analysis.objectives.size(); ++o)
    values[analysis.objectives[o]] = point.objectives[o];
  return values;
}

} // namespace

std::string sweep_table(const SweepJob& job, const SweepOutcome& ran) {
  const sweep::Analysis& analysis = ran.analysis;
  return fmt::format("{}{}, {}, {}: {}, {} of them computed now\n",
                     job.file.name.empty() ? "" : job.file.name + ": ",
                     counted(job.apps.size(), "application"), counted(job.plan.bases.size(), "GPU"),
                     points_text(job, ran), counted(ran.rows, "row"), ran.computed) +
         front_table(job, analysis) + sensitivity_table(analysis) + stability_table(job, analysis) +
         speed_up_table(job, analysis);
}

Json sweep_json(const SweepJob& job, const SweepOutcome& ran) {
  const sweep::Analysis& analysis = ran.analysis;
  Json front = Json::array(), sensitivities = Json::array(), speed_ups = Json::array();
  for (const std::size_t i : analysis.front) {
    const sweep::PointResult& point = analysis.points[i];
    front.push_back({{"gpu", gpu_of(job, point)},
                     {"point", point_of(job, point)},
                     {"objectives", objectives_json(analysis, point)}});
  }
  for (const sweep::Sensitivity& s : analysis.sensitivities)
    sensitivities.push_back({{"objective", analysis.objectives[s.objective]},
                             {"key", s.key},
                             {"swing", s.swing},
                             {"least", s.least},
                             {"at_least", s.at_least},
                             {"most", s.most},
                             {"at_most", s.at_most}});
  for (const sweep::SpeedUps& of_app : analysis.speed_ups) {
    Json on_gpu = Json::object();
    for (std::size_t g = 0; g < of_app.on_gpu.size(); ++g)
      on_gpu[job.plan.bases[g].name] = of_app.on_gpu[g];
    speed_ups.push_back({{"app", of_app.app}, {"on_gpu", on_gpu}});
  }
  return {{"format", "kerncast-sweep/1"},
          {"name", job.file.name},
          {"applications", job.apps.size()},
          {"gpus", job.plan.bases.size()},
          {"points", job.plan.as_stated},
          {"rows", ran.rows},
          {"computed", ran.computed},
          {"without_prediction", ran.failed.count},
          {"front", front},
          {"sensitivities", sensitivities},
          {"stabilities", stabilities_json(job, analysis)},
          {"speed_ups", speed_ups}};
}

std::string sweep_warnings(const SweepOutcome& ran) {
  const sweep::FailedRows& failed = ran.failed;
  if (failed.count == 0)
    return {};
  return fmt::format("warning: {} of {} rows have no prediction\nnote: {} on {}: {}\n", failed.count,
                     ran.rows, failed.app, at_text(failed.gpu, failed.point), failed.error);
}

} // namespace kerncast::app
