#include "measured_views.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prediction_table.h"
#include "validate/counters.h"
#include "validation_tables.h"

namespace kerncast::app {
namespace {

// "0.0" has no sign.
std::string signed_text(const std::optional<double>& value, int digits) {
  if (!value)
    return "-";
  const std::string text = fmt::format("{:+.{}f}", *value, digits);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

// Quantities of the chain of which some of the rows have an error, in the order of the chain.
std::vector<std::string> chain_of(const std::vector<WorstRow>& rows) {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities())
    if (std::ranges::any_of(rows, [&](const WorstRow& row) {
          const auto found = std::ranges::find(row.chain, quantity.name, &ChainError::quantity);
          return found != row.chain.end() && found->error;
        }))
      names.emplace_back(quantity.name);
  return names;
}

std::string chain_cell(const WorstRow& row, const std::string& quantity) {
  const auto found = std::ranges::find(row.chain, quantity, &ChainError::quantity);
  return found == row.chain.end() ? "-" : signed_text(found->error, 1);
}

// Of the main quantity: a time, or cycles.
std::string main_text(const WorstOfKernel& kernel, double value) {
  return kernel.quantity == name(MainQuantity::time) ? time_text(value) : fmt::format("{:.0f}", value);
}

std::vector<std::string> config_names(const WorstOfKernel& kernel) {
  std::vector<std::string> names;
  if (!kernel.worst.empty())
    for (const auto& member : kernel.worst.front().config)
      names.push_back(member.first);
  return names;
}

std::string config_text(const WorstRow& row) {
  std::vector<std::string> values;
  for (const auto& member : row.config)
    values.push_back(member.second);
  return values.empty() ? "-" : fmt::format("{}", fmt::join(values, ","));
}

Json stage_json(const StageErrors& stage) {
  return {{"given", stage.given},
          {"mape", stage.errors.mape},
          {"median", stage.errors.median},
          {"p90", stage.errors.p90},
          {"bias", stage.errors.bias},
          {"spearman", optional_json(stage.errors.spearman)},
          {"share", optional_json(stage.share)}};
}

Json name_or_null(const std::optional<std::string>& name) { return name ? Json(*name) : Json(nullptr); }

Json row_json(const WorstRow& row) {
  Json config = Json::object();
  for (const auto& [name, value] : row.config)
    config[name] = value;
  Json chain = Json::array();
  for (const ChainError& one : row.chain)
    chain.push_back({{"quantity", one.quantity},
                     {"unit", one.scale == statistics::Scale::points ? "points" : "per cent"},
                     {"measured", one.measured},
                     {"predicted", one.predicted},
                     {"error", optional_json(one.error)}});
  return {{"row", row.row},
          {"config", std::move(config)},
          {"measured", row.measured},
          {"predicted", row.predicted},
          {"error", row.error},
          {"chain", std::move(chain)},
          {"bound", row.bound.empty() ? Json(nullptr) : Json(row.bound)},
          {"parts_at", name_or_null(row.parts_at)},
          {"farthest", name_or_null(row.farthest)}};
}

} // namespace

Table stages_table(const std::vector<StagesOfKernel>& kernels) {
  std::vector<Column> columns;
  for (const char* title : {"kernel", "GPU", "given"})
    columns.push_back({title, Align::left});
  for (const char* title : {"rows", "MAPE", "median", "p90", "bias", "Spearman", "share"})
    columns.push_back({title, Align::right});
  Table table(std::move(columns));
  for (const StagesOfKernel& kernel : kernels)
    for (const StageErrors& stage : kernel.stages) {
      const statistics::Errors& e = stage.errors;
      table.add({kernel.kernel, kernel.gpu, stage.given, fmt::format("{}", e.rows),
                 fmt::format("{:.2f}", e.mape), fmt::format("{:.2f}", e.median), fmt::format("{:.2f}", e.p90),
                 fmt::format("{:+.2f}", e.bias), correlation_text(e.spearman), signed_text(stage.share, 2)});
    }
  return table;
}

Table parts_table(const WorstOfKernel& kernel) {
  Table table({{"parts at", Align::left}, {"rows", Align::right}, {"points", Align::right}});
  for (const PartShare& share : kernel.parts)
    table.add(
        {share.parts_at.value_or("-"), fmt::format("{}", share.rows), fmt::format("{:.2f}", share.points)});
  return table;
}

Table worst_table(const WorstOfKernel& kernel) {
  std::vector<Column> columns = {{"row", Align::right},
                                 {"config", Align::left},
                                 {"measured", Align::right},
                                 {"predicted", Align::right},
                                 {"error", Align::right}};
  const std::vector<std::string> chain = chain_of(kernel.worst);
  for (const std::string& quantity : chain)
    columns.push_back({quantity, Align::right});
  columns.push_back({"bound", Align::left});
  columns.push_back({"parts at", Align::left});
  columns.push_back({"farthest", Align::left});
  Table table(std::move(columns));
  for (const WorstRow& row : kernel.worst) {
    std::vector<std::string> cells = {fmt::format("{}", row.row), config_text(row),
                                      main_text(kernel, row.measured), main_text(kernel, row.predicted),
                                      signed_text(row.error, 1)};
    for (const std::string& quantity : chain)
      cells.push_back(chain_cell(row, quantity));
    cells.push_back(row.bound.empty() ? "-" : row.bound);
    cells.push_back(row.parts_at.value_or("-"));
    cells.push_back(row.farthest.value_or("-"));
    table.add(std::move(cells));
  }
  return table;
}

std::string worst_title(const WorstOfKernel& kernel) {
  const std::vector<std::string> names = config_names(kernel);
  return fmt::format(
      "{} on {}: the {} worst of {} rows, errors in per cent, of occupancy and l2_hit in points{}",
      kernel.kernel, kernel.gpu, kernel.worst.size(), kernel.rows,
      names.empty() ? "" : fmt::format("; config is {}", fmt::join(names, ",")));
}

std::string worst_text(const WorstOfKernel& kernel) {
  return fmt::format("{} on {}: rows and points of the MAPE by what parts\n{}\n{}\n{}", kernel.kernel,
                     kernel.gpu, parts_table(kernel).text(), worst_title(kernel), worst_table(kernel).text());
}

Json stages_json(const std::vector<StagesOfKernel>& kernels) {
  Json all = Json::array();
  for (const StagesOfKernel& kernel : kernels) {
    Json stages = Json::array();
    for (const StageErrors& stage : kernel.stages)
      stages.push_back(stage_json(stage));
    all.push_back({{"kernel", kernel.kernel},
                   {"gpu", kernel.gpu},
                   {"quantity", kernel.quantity},
                   {"rows", kernel.stages.empty() ? 0 : kernel.stages.front().errors.rows},
                   {"left_out", kernel.left_out},
                   {"stages", std::move(stages)}});
  }
  return all;
}

Json worst_json(const std::vector<WorstOfKernel>& kernels) {
  Json all = Json::array();
  for (const WorstOfKernel& kernel : kernels) {
    Json parts = Json::array();
    for (const PartShare& share : kernel.parts)
      parts.push_back(
          {{"parts_at", name_or_null(share.parts_at)}, {"rows", share.rows}, {"points", share.points}});
    Json rows = Json::array();
    for (const WorstRow& row : kernel.worst)
      rows.push_back(row_json(row));
    all.push_back({{"kernel", kernel.kernel},
                   {"gpu", kernel.gpu},
                   {"quantity", kernel.quantity},
                   {"rows", kernel.rows},
                   {"parts", std::move(parts)},
                   {"worst", std::move(rows)}});
  }
  return all;
}

} // namespace kerncast::app
