// validate curves FILE.csv: measured occupancy curves. A row is a point:
//
//   gpu,application,kernel,warps,warps_per_cycle
//
// `gpu` of the database or a file, `application` a file that launches the kernel (beside the table, if its
// path is relative), `warps` resident on an SM, `warps_per_cycle` how many of them one SM completes per cycle
// of its clock. Of several launches of a kernel the longest is meant, as with predict --occupancy-curve.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "csv/table.h"
#include "predict/models.h"
#include "predict/predict.h"
#include "suites.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

struct CurvePoint {
  const csv::Cell* gpu = nullptr;
  const csv::Cell* application = nullptr;
  const csv::Cell* kernel = nullptr;
  const csv::Cell* warps_cell = nullptr;
  double warps = 0;
  double warps_per_cycle = 0;
};

bool is_same_run(const CurvePoint& a, const CurvePoint& b) {
  return a.gpu->text == b.gpu->text && a.application->text == b.application->text;
}

Expected<std::vector<CurvePoint>> points_of(const csv::Table& table) {
  constexpr std::string_view names[] = {"gpu", "application", "kernel", "warps", "warps_per_cycle"};
  const Expected<std::vector<std::size_t>> at = csv::find_columns(table, names);
  if (!at)
    return tl::unexpected(at.error());
  std::vector<CurvePoint> points;
  Diagnostics errors;
  constexpr double least = 1e-12, most = 1e12; // no SM has or completes fewer or more warps
  const auto positive = [&](const csv::Cell& cell, std::string_view what) {
    const std::optional<double> value = csv::number(cell.text);
    if (!value || *value < least || *value > most)
      errors.push_back(table.error(
          cell, fmt::format("{} must be a number from 1e-12 to 1e12, not '{}'", what, cell.text)));
    return value.value_or(0);
  };
  for (const std::vector<csv::Cell>& row : table.rows) {
    const csv::Cell* cells[5];
    for (std::size_t i = 0; i < at->size(); ++i)
      cells[i] = &row[(*at)[i]];
    points.push_back({cells[0], cells[1], cells[2], cells[3], positive(*cells[3], names[3]),
                      positive(*cells[4], names[4])});
  }
  if (points.empty())
    errors.push_back(table.error(table.columns.front(), "a table without rows"));
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return points;
}

// The application of the point on its GPU, with its curves.
Expected<Prediction> predict_curves(const csv::Table& table, const CurvePoint& point,
                                    const SuiteInput& input) {
  const std::filesystem::path folder = std::filesystem::path(table.source.name()).parent_path();
  PredictOptions options;
  options.input = (folder / point.application->text).string();
  options.occupancy_curve = true;
  options.threads = input.threads;
  Expected<PredictResult> predicted = predict(options, {{point.gpu->text}, {}}, input.session);
  if (predicted && !predicted->ended && predicted->predictions.size() == 1 &&
      std::ranges::all_of(predicted->predictions[0].kernels,
                          [](const KernelRow& row) { return row.curves.has_value(); }))
    return std::move(predicted->predictions[0]);
  Diagnostics errors = predicted ? Diagnostics{} : predicted.error();
  errors.push_back(table.error(
      *point.application,
      fmt::format("no occupancy curves of {} on {}", point.application->text, point.gpu->text),
      {predicted && predicted->ended ? predicted->ended->message : "name an application file and a GPU"}));
  return tl::unexpected(std::move(errors));
}

Expected<const OccupancyCurves*> curves_of(const csv::Table& table, const CurvePoint& point,
                                           const Prediction& prediction) {
  std::vector<std::string> there;
  for (const KernelRow& row : prediction.kernels) {
    if (row.mean.kernel == point.kernel->text)
      return &*row.curves;
    there.push_back(row.mean.kernel);
  }
  return fail(table.error(
      *point.kernel, fmt::format("{} launches no kernel '{}'", point.application->text, point.kernel->text),
      {fmt::format("kernels: {}", fmt::join(there, ", "))}));
}

// The kernel's name; with its application where the table has curves of several that have such a kernel.
std::string name_of(const CurvePoint& point, const std::vector<CurvePoint>& points) {
  const bool is_shared = std::ranges::any_of(points, [&](const CurvePoint& other) {
    return other.kernel->text == point.kernel->text && other.application->text != point.application->text;
  });
  return is_shared ? fmt::format("{} of {}", point.kernel->text, point.application->text)
                   : point.kernel->text;
}

// Every model at the point's occupancy.
Expected<void> add_point(const csv::Table& table, const CurvePoint& point, const std::string& name,
                         const OccupancyCurves& curves, Report& report) {
  for (const ModelCurve& curve : curves.models) {
    const auto at = std::ranges::find(curve.points, point.warps, &OccupancyPoint::warps);
    if (at == curve.points.end()) {
      std::vector<double> there;
      for (const OccupancyPoint& one : curve.points)
        there.push_back(one.warps);
      return fail(
          table.error(*point.warps_cell, fmt::format("{} has no point at {} warps", curve.model, point.warps),
                      {fmt::format("whole CTAs, as many as fit, hold {} warps", fmt::join(there, ", "))}));
    }
    report.add({"curves", name, point.gpu->text, std::string(curve.model), "throughput",
                statistics::Scale::relative, curve.model == simulator},
               {fmt::format("{} warps", point.warps), point.warps_per_cycle, at->warps_per_cycle, point.warps,
                std::nullopt});
  }
  return {};
}

} // namespace

Expected<void> validate_curves(const SuiteInput& input, Report& report) {
  const Expected<csv::Table> table = read_source(input.file).and_then(csv::read);
  if (!table)
    return tl::unexpected(table.error());
  const Expected<std::vector<CurvePoint>> points = points_of(*table);
  if (!points)
    return tl::unexpected(points.error());
  std::vector<const CurvePoint*> done;
  for (const CurvePoint& first : *points) {
    if (std::ranges::any_of(done, [&](const CurvePoint* other) { return is_same_run(first, *other); }))
      continue;
    done.push_back(&first);
    const Expected<Prediction> prediction = predict_curves(*table, first, input);
    if (!prediction)
      return tl::unexpected(prediction.error());
    for (const CurvePoint& point : *points) {
      if (!is_same_run(point, first))
        continue;
      const Expected<void> added =
          curves_of(*table, point, *prediction).and_then([&](const OccupancyCurves* curves) {
            return add_point(*table, point, name_of(point, *points), *curves, report);
          });
      if (!added)
        return tl::unexpected(added.error());
    }
  }
  return {};
}

} // namespace kerncast::app
