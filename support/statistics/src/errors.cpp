#include "statistics/errors.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "statistics/ranks.h"

namespace kerncast::statistics {
namespace {

double median_of(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Nearest rank: number ceil(0.9 n) of n.
double p90_of(std::span<const double> sorted) { return sorted[(9 * sorted.size() + 9) / 10 - 1]; }

Diagnostics refusals(std::span<const Pair> pairs, Scale scale) {
  constexpr std::size_t most = 10;
  Diagnostics errors;
  for (std::size_t i = 0; i < pairs.size() && errors.size() < most; ++i)
    if (const std::string why = why_refused(pairs[i], scale); !why.empty()) {
      Diagnostic d;
      d.message = fmt::format("row {}: {}", i + 1, why);
      d.notes = {"leave the row out"};
      errors.push_back(std::move(d));
    }
  return errors;
}

} // namespace

std::string why_refused(const Pair& pair, Scale scale) {
  if (!std::isfinite(pair.measured) || !std::isfinite(pair.predicted))
    return fmt::format("measured {}, predicted {}: not finite numbers", pair.measured, pair.predicted);
  if (scale == Scale::relative && pair.measured <= 0)
    return fmt::format("measured {}: there is no error relative to it", pair.measured);
  return {};
}

double error_of(const Pair& pair, Scale scale) {
  const double difference = 100 * (pair.predicted - pair.measured);
  return scale == Scale::relative ? difference / pair.measured : difference;
}

Expected<Errors> errors_of(std::span<const Pair> pairs, Scale scale) {
  if (pairs.empty())
    return fail("no rows, so no errors", "compare at least one prediction");
  if (Diagnostics refused = refusals(pairs, scale); !refused.empty())
    return tl::unexpected(std::move(refused));
  const auto rows = static_cast<double>(pairs.size());
  Errors result;
  result.rows = pairs.size();
  std::vector<double> sizes;
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const Pair& pair : pairs) {
    const double error = error_of(pair, scale);
    if (std::fabs(error) > result.worst) {
      result.worst = std::fabs(error);
      result.worst_row = sizes.size();
    }
    sizes.push_back(std::fabs(error));
    measured.push_back(pair.measured);
    predicted.push_back(pair.predicted);
    result.mape += std::fabs(error) / rows;
    result.bias += error / rows;
  }
  std::ranges::sort(sizes);
  result.median = median_of(sizes);
  result.p90 = p90_of(sizes);
  result.spearman = spearman(measured, predicted);
  result.kendall = kendall(measured, predicted);
  return result;
}

} // namespace kerncast::statistics
