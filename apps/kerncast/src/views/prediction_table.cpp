#include "prediction_table.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explanation_text.h"
#include "occupancy_curve_views.h"
#include "ranks_views.h"
#include "table.h"

namespace kerncast::app {

std::string time_text(double us) {
  constexpr double ms = 1e3;
  constexpr double s = 1e6;
  if (us >= s)
    return fmt::format("{:.4g} s", us / s);
  return us >= ms ? fmt::format("{:.4g} ms", us / ms) : fmt::format("{:.4g} us", us);
}

namespace {

double total_us(const KernelRow& row) { return row.mean.time_us * static_cast<double>(row.launches); }

std::string interval_text(const TimeInterval& interval) {
  return fmt::format("{} to {}", time_text(interval.low_us), time_text(interval.high_us));
}

// What changes the time by less is not named.
constexpr double least_shown = 0.01;

std::string sources_text(const KernelRow& row) {
  if (!row.interval)
    return {};
  std::vector<std::string> shown;
  for (const engine::ErrorSource& one : row.mean.interval->sources)
    if (std::max(one.slower, one.faster) >= least_shown)
      shown.push_back(fmt::format("{} +{:.1f} -{:.1f} %", one.source, 100 * one.slower, 100 * one.faster));
  return fmt::format("  {}: {}; {}\n", row.mean.kernel, interval_text(*row.interval), fmt::join(shown, ", "));
}

std::string intervals_text(const Prediction& prediction) {
  std::string text;
  for (const KernelRow& row : prediction.kernels)
    text += sources_text(row);
  return text.empty() ? text : fmt::format("{:.0f} % intervals\n{}", 100 * engine::interval_level, text);
}

std::string kernels_table(const Prediction& prediction) {
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : prediction.kernels)
    rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow* a, const KernelRow* b) { return total_us(*a) > total_us(*b); });
  const double all_us = std::accumulate(
      rows.begin(), rows.end(), 0.0, [](double sum, const KernelRow* row) { return sum + total_us(*row); });
  Table table({{"share", Align::right},
               {"time", Align::right},
               {"launches", Align::right},
               {"kernel", Align::left},
               {"bound", Align::left},
               {"occupancy", Align::right},
               {"limiter", Align::left},
               {"warps/SM", Align::right},
               {"IPC/SM", Align::right}});
  for (const KernelRow* row : rows) {
    const engine::KernelPrediction& p = row->mean;
    table.add({fmt::format("{:.1f} %", all_us > 0 ? 100 * total_us(*row) / all_us : 0), time_text(p.time_us),
               fmt::format("{}", row->launches), p.kernel, p.bound.empty() ? "-" : p.bound,
               fmt::format("{:.1f} %", 100 * p.occupancy.fraction),
               std::string(configs::name(p.occupancy.limiter)), fmt::format("{}", p.occupancy.warps_per_sm),
               fmt::format("{:.2f}", p.ipc_per_sm)});
  }
  return table.text();
}

// Each assumption once, in the order in which they were made, with the kernels it is about.
// What every kernel assumes (guesses about the GPU, mostly) is said once.
bool all_assume(const Prediction& prediction, const std::string& assumption) {
  return std::all_of(prediction.kernels.begin(), prediction.kernels.end(), [&](const KernelRow& row) {
    const std::vector<std::string>& texts = row.mean.assumptions;
    return std::find(texts.begin(), texts.end(), assumption) != texts.end();
  });
}

std::string assumptions_text(const Prediction& prediction) {
  std::string text;
  for (const KernelRow& row : prediction.kernels)
    for (const std::string& assumption : row.mean.assumptions) {
      if (!all_assume(prediction, assumption))
        text += fmt::format("  {}: {}\n", row.mean.kernel, assumption);
      else if (&row == &prediction.kernels.front())
        text += fmt::format("  {}\n", assumption);
    }
  for (const std::string& assumption : prediction.assumptions)
    text += fmt::format("  {}\n", assumption);
  return text.empty() ? text : fmt::format("assumptions\n{}", text);
}

// What an application of copies and kernels waits for, from its begin to its end. One of kernels alone has
// its launches beside them, which says nothing new.
std::string path_text(const Prediction& prediction) {
  if (!prediction.timeline || prediction.timeline->copies_busy_us == 0)
    return {};
  const timeline::CriticalPath& path = prediction.timeline->critical_path;
  return fmt::format("critical path: kernels {}, copies {}, launch overhead {}\n", time_text(path.kernels),
                     time_text(path.copies), time_text(path.launches));
}

// Of programmatic dependent launches.
std::string prologues_text(const Prediction& prediction) {
  if (!prediction.timeline || !prediction.timeline->has_programmatic_launches)
    return {};
  return fmt::format("prologues before the end of the kernel before: {}\n",
                     time_text(prediction.timeline->early_prologues_us));
}

std::string one_prediction(const Prediction& prediction) {
  const std::string product = prediction.product.empty() ? "" : fmt::format(" ({})", prediction.product);
  const std::string count =
      prediction.cluster ? fmt::format("{} x ", prediction.cluster->result.ranks.size()) : "";
  std::string text = fmt::format("{} on {}{}{}, model {}\n", prediction.app, count, prediction.gpu, product,
                                 prediction.model);
  if (!prediction.kernels.empty())
    text += kernels_table(prediction);
  const std::string total_interval =
      prediction.total_interval ? fmt::format(" ({})", interval_text(*prediction.total_interval)) : "";
  text += fmt::format("total {}{}, GPU busy {}\n", time_text(prediction.total_time_us), total_interval,
                      time_text(prediction.gpu_busy_us));
  text += path_text(prediction);
  text += prologues_text(prediction);
  if (prediction.cluster)
    text += ranks_table(*prediction.cluster);
  text += intervals_text(prediction);
  for (const KernelRow& row : prediction.kernels)
    if (row.curves)
      text += curves_text(row.mean.kernel, *row.curves);
  text += assumptions_text(prediction);
  for (const KernelRow& row : prediction.kernels)
    text += explanation_text(row);
  return text;
}

} // namespace

std::string prediction_table(const std::vector<Prediction>& predictions) {
  std::string text;
  for (const Prediction& prediction : predictions) {
    text += text.empty() ? "" : "\n";
    text += one_prediction(prediction);
  }
  return text;
}

} // namespace kerncast::app
