#include "statistics/curve_error.h"

#include <cassert>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace kerncast::statistics {
namespace {

struct Line {
  double offset = 0;
  double slope = 0;
  double at(double x) const { return offset + slope * x; }
};

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double v : values)
    sum += v;
  return sum / static_cast<double>(values.size());
}

Line least_squares(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance += (x[i] - mean_x) * (x[i] - mean_x);
  }
  const double slope = variance > 0 ? covariance / variance : 0; // one occupancy: an offset alone
  return {.offset = mean_y - slope * mean_x, .slope = slope};
}

double mean_percentage(std::span<const double> errors, std::span<const double> real) {
  double sum = 0;
  for (std::size_t i = 0; i < errors.size(); ++i)
    sum += std::fabs(errors[i]) / real[i];
  return 100 * sum / static_cast<double>(errors.size());
}

Expected<void> check(const CurvePair& c) {
  if (c.real.empty())
    return fail("a curve without points has no error", "give at least one occupancy");
  for (std::size_t i = 0; i < c.real.size(); ++i)
    if (!std::isfinite(c.warps[i]) || !std::isfinite(c.model[i]) || !std::isfinite(c.real[i]) ||
        c.real[i] <= 0)
      return fail(fmt::format("point {}: {} warps, model {}, measured {}: not a point of a curve", i + 1,
                              c.warps[i], c.model[i], c.real[i]),
                  "numbers must be finite, measured throughputs positive");
  return {};
}

} // namespace

Expected<CurveErrors> curve_errors(const CurvePair& curves) {
  assert(curves.warps.size() == curves.model.size() && curves.model.size() == curves.real.size() &&
         "a value of both curves for every occupancy");
  if (const Expected<void> checked = check(curves); !checked)
    return tl::unexpected(checked.error());
  std::vector<double> differences;
  for (std::size_t i = 0; i < curves.real.size(); ++i)
    differences.push_back(curves.model[i] - curves.real[i]);
  CurveErrors errors;
  errors.mape = mean_percentage(differences, curves.real);
  const Line line = least_squares(curves.warps, differences);
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] -= line.at(curves.warps[i]);
  errors.shape_mape = mean_percentage(differences, curves.real);
  return errors;
}

} // namespace kerncast::statistics
