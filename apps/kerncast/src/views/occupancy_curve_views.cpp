#include "occupancy_curve_views.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "table.h"

namespace kerncast::app {
namespace {

Json curve_json(const ModelCurve& curve) {
  Json points = Json::array();
  for (const OccupancyPoint& point : curve.points)
    points.push_back({{"warps", point.warps},
                      {"warps_per_cycle", point.warps_per_cycle},
                      {"bound", point.bound.empty() ? Json(nullptr) : Json(point.bound)}});
  return {{"model", curve.model},
          {"peak_warps_per_cycle", curve.read_off.peak},
          {"ridge_warps", curve.read_off.ridge_warps},
          {"warps_for_90_percent", curve.read_off.warps_for_90_percent},
          {"points", std::move(points)}};
}

// 1, 2, 4, ... and those that the simulator was asked for, if they are few.
std::vector<double> shown_warps(const OccupancyCurves& curves) {
  constexpr std::size_t few = 6;
  std::set<double> warps;
  const std::vector<OccupancyPoint>& simulated = curves.models.front().points;
  const std::size_t step = (simulated.size() + few - 1) / few;
  for (std::size_t i = simulated.size(); i > 0; i -= std::min(step, i))
    warps.insert(simulated[i - 1].warps);
  warps.insert(1);
  warps.insert(curves.max_warps);
  return {warps.begin(), warps.end()};
}

std::string rate_at(const ModelCurve& curve, double warps) {
  constexpr double cycles = 1000;
  for (const OccupancyPoint& point : curve.points)
    if (point.warps == warps)
      return fmt::format("{:.4g}", cycles * point.warps_per_cycle);
  return "-";
}

std::string cusp_text(const CuspOfKernel& at) {
  return fmt::format("{:.4g} computations per access to memory; most warps, {:.4g}, are needed at {:.4g}\n",
                     at.compute_intensity, at.cusp.warps, at.cusp.compute_intensity);
}

} // namespace

Json curves_json(const OccupancyCurves& curves) {
  Json cusp = nullptr;
  if (curves.cusp)
    cusp = {{"compute_intensity", curves.cusp->cusp.compute_intensity},
            {"warps", curves.cusp->cusp.warps},
            {"kernel_compute_intensity", curves.cusp->compute_intensity}};
  Json models = Json::array();
  for (const ModelCurve& curve : curves.models)
    models.push_back(curve_json(curve));
  return {{"max_warps_per_sm", curves.max_warps}, {"cusp", std::move(cusp)}, {"models", std::move(models)}};
}

std::string curves_text(const std::string& kernel, const OccupancyCurves& curves) {
  const std::vector<double> shown = shown_warps(curves);
  std::vector<Column> columns = {{"model", Align::left}};
  for (const double warps : shown)
    columns.push_back({fmt::format("{:g}", warps), Align::right});
  for (const char* title : {"ridge", "90 %"})
    columns.push_back({title, Align::right});
  columns.push_back({"bound", Align::left});
  Table table(std::move(columns));
  for (const ModelCurve& curve : curves.models) {
    std::vector<std::string> cells = {std::string(curve.model)};
    for (const double warps : shown)
      cells.push_back(rate_at(curve, warps));
    cells.push_back(fmt::format("{:g}", curve.read_off.ridge_warps));
    cells.push_back(fmt::format("{:g}", curve.read_off.warps_for_90_percent));
    cells.push_back(curve.points.back().bound.empty() ? "-" : curve.points.back().bound);
    table.add(std::move(cells));
  }
  return fmt::format("{}: warps per 1000 cycles and SM, by warps on the SM\n{}{}", kernel, table.text(),
                     curves.cusp ? cusp_text(*curves.cusp) : "");
}

} // namespace kerncast::app
