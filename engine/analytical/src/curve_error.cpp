#include "analytical/curve_error.h"

#include <cassert>
#include <cmath>
#include <vector>

namespace kerncast::analytical {
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
  return errors.empty() ? 0 : 100 * sum / static_cast<double>(errors.size());
}

std::vector<double> differences(const CurvePair& c) {
  assert(c.warps.size() == c.model.size() && c.model.size() == c.real.size() &&
         "a value of both curves for every occupancy");
  std::vector<double> d;
  for (std::size_t i = 0; i < c.real.size(); ++i)
    d.push_back(c.model[i] - c.real[i]);
  return d;
}

} // namespace

double mape(const CurvePair& curves) { return mean_percentage(differences(curves), curves.real); }

double shape_mape(const CurvePair& curves) {
  std::vector<double> d = differences(curves);
  if (d.empty())
    return 0;
  const Line line = least_squares(curves.warps, d);
  for (std::size_t i = 0; i < d.size(); ++i)
    d[i] -= line.at(curves.warps[i]);
  return mean_percentage(d, curves.real);
}

} // namespace kerncast::analytical
