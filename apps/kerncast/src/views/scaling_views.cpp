#include "scaling_views.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prediction_table.h"
#include "ranks_views.h"
#include "table.h"

namespace kerncast::app {
namespace {

struct ScalingPoint {
  std::uint32_t gpus = 1;
  double time_us = 0;
  double speedup = 1;    // of the work done, against the first point
  double efficiency = 1; // speedup by GPU, against the first point
  ranks::RankStatistics mean;
};

std::vector<ScalingPoint> points_of(const Scaling& scaling, std::size_t kind) {
  std::vector<ScalingPoint> points;
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    const Prediction& prediction = scaling.points[i][kind];
    ScalingPoint point{scaling.gpus[i], prediction.total_time_us, 1, 1,
                       summary_of(prediction.cluster->result).mean};
    const double first_us = scaling.points[0][kind].total_time_us;
    const double more_gpus = static_cast<double>(point.gpus) / scaling.gpus[0];
    const double more_work = scaling.grown.empty() ? 1 : more_gpus;
    if (point.time_us > 0) {
      point.speedup = more_work * first_us / point.time_us;
      point.efficiency = point.speedup / more_gpus;
    }
    points.push_back(point);
  }
  return points;
}

std::string kind_of_scaling(const Scaling& scaling) {
  return scaling.grown.empty()
             ? "strong scaling"
             : fmt::format("weak scaling, {} grow with the GPUs", fmt::join(scaling.grown, ", "));
}

// Those of all points, each once.
std::vector<std::string> assumptions_of(const Scaling& scaling, std::size_t kind) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(text);
  };
  for (const std::vector<Prediction>& point : scaling.points) {
    for (const KernelRow& row : point[kind].kernels)
      for (const std::string& text : row.mean.assumptions)
        add(fmt::format("{}: {}", row.mean.kernel, text));
    for (const std::string& text : point[kind].assumptions)
      add(text);
  }
  return texts;
}

std::string one_table(const Scaling& scaling, std::size_t kind) {
  constexpr Align right = Align::right;
  Table table({{"GPUs", right},
               {"time", right},
               {"speedup", right},
               {"efficiency", right},
               {"compute", right},
               {"exposed", right},
               {"waiting", right}});
  for (const ScalingPoint& p : points_of(scaling, kind))
    table.add({fmt::format("{}", p.gpus), time_text(p.time_us), fmt::format("{:.2f}", p.speedup),
               fmt::format("{:.1f} %", 100 * p.efficiency), time_text(p.mean.compute_us),
               time_text(p.mean.exposed_us), time_text(p.mean.waiting_us)});
  const Prediction& first = scaling.points[0][kind];
  std::string text = fmt::format("{} on {}, cluster {}: {}\n{}", first.app, first.gpu,
                                 first.cluster->cluster.name, kind_of_scaling(scaling), table.text());
  const std::vector<std::string> assumptions = assumptions_of(scaling, kind);
  return assumptions.empty() ? text
                             : fmt::format("{}assumptions\n  {}\n", text, fmt::join(assumptions, "\n  "));
}

} // namespace

std::string scaling_table(const Scaling& scaling) {
  std::string text;
  for (std::size_t kind = 0; kind < scaling.points[0].size(); ++kind)
    text += (text.empty() ? "" : "\n") + one_table(scaling, kind);
  return text;
}

Json scaling_json(const Scaling& scaling) {
  Json list = Json::array();
  for (std::size_t kind = 0; kind < scaling.points[0].size(); ++kind) {
    const Prediction& first = scaling.points[0][kind];
    Json points = Json::array();
    for (const ScalingPoint& p : points_of(scaling, kind))
      points.push_back({{"gpus", p.gpus},
                        {"time_us", p.time_us},
                        {"speedup", p.speedup},
                        {"efficiency", p.efficiency},
                        {"compute_us", p.mean.compute_us},
                        {"copy_us", p.mean.copy_us},
                        {"communication_us", p.mean.communication_us},
                        {"exposed_us", p.mean.exposed_us},
                        {"waiting_us", p.mean.waiting_us}});
    list.push_back({{"format", "kerncast-scaling/1"},
                    {"kerncast", KERNCAST_VERSION},
                    {"app", first.app},
                    {"gpu", first.gpu},
                    {"cluster", first.cluster->cluster.name},
                    {"weak", scaling.grown},
                    {"points", std::move(points)},
                    {"assumptions", assumptions_of(scaling, kind)}});
  }
  return list;
}

} // namespace kerncast::app
