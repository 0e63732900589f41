#include "validation_tables.h"

#include <fmt/format.h>

namespace kerncast::app {

std::string correlation_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

namespace {

std::string outside_text(const Comparison& one) {
  return one.outside ? fmt::format("{}", *one.outside) : "-";
}

std::string per_cent_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f} %", *value) : "-";
}

} // namespace

std::optional<Table> statistics_table(const Report& report) {
  std::vector<Column> columns;
  for (const char* title : {"suite", "kernel", "GPU", "model", "quantity"})
    columns.push_back({title, Align::left});
  for (const char* title : {"rows", "MAPE", "median", "p90", "worst", "bias", "Spearman", "Kendall",
                            "outside", "inside", "length"})
    columns.push_back({title, Align::right});
  columns.push_back({"worst row", Align::left});
  Table table(std::move(columns));
  bool is_empty = true;
  for (const Comparison& one : report.comparisons) {
    if (one.shape_mape)
      continue;
    is_empty = false;
    const statistics::Errors& e = one.errors;
    table.add({one.subject.suite, one.subject.kernel, one.subject.gpu.empty() ? "-" : one.subject.gpu,
               one.subject.model, one.subject.quantity, fmt::format("{}", e.rows),
               fmt::format("{:.2f}", e.mape), fmt::format("{:.2f}", e.median), fmt::format("{:.2f}", e.p90),
               fmt::format("{:.2f}", e.worst), fmt::format("{:+.2f}", e.bias), correlation_text(e.spearman),
               correlation_text(e.kendall), outside_text(one), per_cent_text(one.coverage),
               per_cent_text(one.interval_length), one.rows[e.worst_row].label});
  }
  return is_empty ? std::nullopt : std::optional(std::move(table));
}

} // namespace kerncast::app
