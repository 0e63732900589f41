#include "model_table.h"

#include <set>
#include <span>

#include <fmt/format.h>

#include "explanation_text.h"
#include "occupancy_curve_views.h"
#include "prediction_table.h"
#include "table.h"

namespace kerncast::app {
namespace {

std::string kernels_by_model(std::span<const Prediction> models) {
  const Prediction& first = models.front();
  Table table({{"kernel", Align::left},
               {"model", Align::left},
               {"time", Align::right},
               {fmt::format("/ {}", first.model), Align::right},
               {"IPC/SM", Align::right},
               {"bound", Align::left}});
  for (std::size_t k = 0; k < first.kernels.size(); ++k)
    for (const Prediction& one : models) {
      const engine::KernelPrediction& p = one.kernels[k].mean;
      const double compared = first.kernels[k].mean.time_us;
      table.add({p.kernel, one.model, time_text(p.time_us),
                 compared > 0 ? fmt::format("{:.3f}", p.time_us / compared) : "-",
                 fmt::format("{:.2f}", p.ipc_per_sm), p.bound.empty() ? "-" : p.bound});
    }
  return table.text();
}

std::string occupancies(const Prediction& prediction) {
  std::string text;
  for (const KernelRow& row : prediction.kernels)
    text += fmt::format("{}: {} warps/SM, {} launches\n", row.mean.kernel, row.mean.occupancy.warps_per_sm,
                        row.launches);
  return text;
}

// Every text once, whichever models assume it.
std::string assumptions(std::span<const Prediction> models) {
  std::set<std::string> seen;
  std::string text;
  const auto add = [&](const std::vector<std::string>& texts) {
    for (const std::string& assumption : texts)
      if (seen.insert(assumption).second)
        text += fmt::format("  {}\n", assumption);
  };
  for (const Prediction& one : models) {
    for (const KernelRow& row : one.kernels)
      add(row.mean.assumptions);
    add(one.assumptions);
  }
  return text.empty() ? text : "assumptions\n" + text;
}

std::string one_gpu(std::span<const Prediction> models) {
  const Prediction& first = models.front();
  std::string text = fmt::format("{} on {}, all models\n", first.app, first.gpu);
  text += occupancies(first) + kernels_by_model(models);
  for (const KernelRow& row : first.kernels)
    if (row.curves)
      text += curves_text(row.mean.kernel, *row.curves);
  text += assumptions(models);
  for (const KernelRow& row : first.kernels)
    text += explanation_text(row);
  return text;
}

} // namespace

std::string model_table(const std::vector<Prediction>& predictions) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < predictions.size(); first = end) {
    end = first + 1;
    while (end < predictions.size() && predictions[end].model != predictions[first].model)
      ++end;
    text += text.empty() ? "" : "\n";
    text += one_gpu(std::span(predictions).subspan(first, end - first));
  }
  return text;
}

} // namespace kerncast::app
