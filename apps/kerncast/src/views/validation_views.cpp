#include "validation_views.h"

#include <fmt/format.h>

#include "csv/table.h"
#include "measured_views.h"
#include "validation_tables.h"

namespace kerncast::app {
namespace {

std::string verdicts_text(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("{}: {} of {} hold\n", verdict.requirement, verdict.compared - verdict.broken.size(),
                        verdict.compared);
    for (const std::string& broken : verdict.broken)
      text += fmt::format("  {}\n", broken);
  }
  return text;
}

Json comparison_json(const Comparison& one) {
  const Subject& s = one.subject;
  const statistics::Errors& e = one.errors;
  return {{"suite", s.suite},
          {"kernel", s.kernel},
          {"gpu", s.gpu.empty() ? Json(nullptr) : Json(s.gpu)},
          {"model", s.model},
          {"quantity", s.quantity},
          {"unit", s.scale == statistics::Scale::points ? "points" : "per cent"},
          {"rows", e.rows},
          {"mape", e.mape},
          {"median", e.median},
          {"p90", e.p90},
          {"worst", e.worst},
          {"worst_row", one.rows[e.worst_row].label},
          {"bias", e.bias},
          {"spearman", optional_json(e.spearman)},
          {"kendall", optional_json(e.kendall)},
          {"shape_mape", optional_json(one.shape_mape)},
          {"outside_tolerance", one.outside ? Json(*one.outside) : Json(nullptr)},
          {"coverage", optional_json(one.coverage)},
          {"interval_length", optional_json(one.interval_length)}};
}

} // namespace

std::string validation_text(const Report& report, const std::vector<Verdict>& verdicts) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty())
      text += (text.empty() ? "" : "\n") + part;
  };
  add(curve_tables(report));
  if (const std::optional<Table> table = statistics_table(report))
    add(table->text());
  if (!report.stages.empty())
    add(stages_table(report.stages).text());
  for (const WorstOfKernel& kernel : report.worst)
    add(worst_text(kernel));
  std::string notes;
  for (const std::string& note : report.notes)
    notes += fmt::format("{}\n", note);
  add(notes);
  add(verdicts_text(verdicts));
  return text;
}

Json validation_json(const Report& report, const std::vector<Verdict>& verdicts) {
  Json comparisons = Json::array();
  for (const Comparison& one : report.comparisons)
    comparisons.push_back(comparison_json(one));
  Json requirements = Json::array();
  for (const Verdict& verdict : verdicts)
    requirements.push_back({{"require", verdict.requirement},
                            {"holds", verdict.broken.empty()},
                            {"compared", verdict.compared},
                            {"broken", verdict.broken}});
  Json json = {{"format", "kerncast-validation/1"},
               {"kerncast", KERNCAST_VERSION},
               {"comparisons", std::move(comparisons)},
               {"requirements", std::move(requirements)},
               {"notes", report.notes}};
  if (!report.stages.empty())
    json["stages"] = stages_json(report.stages);
  if (!report.worst.empty())
    json["worst"] = worst_json(report.worst);
  return json;
}

std::string validation_csv(const Report& report) {
  const std::string titles[] = {"suite",    "kernel",    "gpu",   "model", "quantity", "row",
                                "measured", "predicted", "error", "low",   "high"};
  std::string text = csv::line_of(titles);
  for (const Comparison& one : report.comparisons)
    for (const ComparedRow& row : one.rows) {
      const double error = statistics::error_of({row.measured, row.predicted}, one.subject.scale);
      const std::string cells[] = {one.subject.suite,
                                   one.subject.kernel,
                                   one.subject.gpu,
                                   one.subject.model,
                                   one.subject.quantity,
                                   row.label,
                                   fmt::format("{}", row.measured),
                                   fmt::format("{}", row.predicted),
                                   fmt::format("{}", error),
                                   row.interval ? fmt::format("{}", row.interval->low) : "",
                                   row.interval ? fmt::format("{}", row.interval->high) : ""};
      text += csv::line_of(cells);
    }
  return text;
}

} // namespace kerncast::app
