#include "report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "statistics/curve_error.h"

namespace kerncast::app {
namespace {

// The occupancy curve of the rows, if they are one.
Expected<std::optional<double>> shape_of(const std::vector<ComparedRow>& rows) {
  std::vector<double> warps;
  std::vector<double> model;
  std::vector<double> real;
  for (const ComparedRow& row : rows) {
    if (!row.warps)
      return std::nullopt;
    warps.push_back(*row.warps);
    model.push_back(row.predicted);
    real.push_back(row.measured);
  }
  return statistics::curve_errors({warps, model, real}).map([](const statistics::CurveErrors& errors) {
    return std::optional(errors.shape_mape);
  });
}

std::optional<std::size_t> outside_of(const std::vector<ComparedRow>& rows) {
  std::optional<std::size_t> outside;
  for (const ComparedRow& row : rows)
    if (row.tolerance)
      outside = outside.value_or(0) + (std::fabs(row.predicted - row.measured) > *row.tolerance ? 1 : 0);
  return outside;
}

void summarize_intervals(Comparison& one) {
  double rows = 0, inside = 0, length = 0;
  for (const ComparedRow& row : one.rows) {
    if (!row.interval)
      continue;
    ++rows;
    inside += row.interval->low <= row.measured && row.measured <= row.interval->high ? 1 : 0;
    length += (row.interval->high - row.interval->low) / row.predicted;
  }
  if (rows == 0)
    return;
  one.coverage = 100 * inside / rows;
  one.interval_length = 100 * length / rows;
}

Expected<void> summarize_one(Comparison& one) {
  std::vector<statistics::Pair> pairs;
  for (const ComparedRow& row : one.rows)
    pairs.push_back({row.measured, row.predicted});
  const Expected<statistics::Errors> errors = statistics::errors_of(pairs, one.subject.scale);
  if (!errors)
    return tl::unexpected(errors.error());
  one.errors = *errors;
  one.outside = outside_of(one.rows);
  summarize_intervals(one);
  const Expected<std::optional<double>> shape = shape_of(one.rows);
  if (!shape)
    return tl::unexpected(shape.error());
  one.shape_mape = *shape;
  return {};
}

} // namespace

void Report::add(const Subject& subject, ComparedRow row) {
  // Rows come in runs of few subjects, so the last ones are looked at first.
  const auto found = std::find_if(comparisons.rbegin(), comparisons.rend(),
                                  [&](const Comparison& one) { return one.subject == subject; });
  Comparison& one = found != comparisons.rend() ? *found : comparisons.emplace_back();
  one.subject = subject;
  one.rows.push_back(std::move(row));
}

Expected<void> summarize(Report& report) {
  for (Comparison& one : report.comparisons)
    if (const Expected<void> done = summarize_one(one); !done) {
      Diagnostics errors = done.error();
      for (Diagnostic& d : errors)
        d.message = fmt::format("{}, {} of {}: {}", one.subject.suite, one.subject.quantity,
                                one.subject.kernel, d.message);
      return tl::unexpected(std::move(errors));
    }
  return {};
}

} // namespace kerncast::app
