#include "statistics/interpolation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace kerncast::statistics {
namespace {

// Of slopes against offsets, so that there is one plane also through fewer points than coordinates: the
// flattest. Too little to be seen otherwise.
constexpr double flatness = 1e-6;

double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// A symmetric positive definite system; `matrix` by rows, each with its right side behind it.
std::vector<double> solve(std::vector<std::vector<double>> matrix) {
  const std::size_t n = matrix.size();
  for (std::size_t pivot = 0; pivot < n; ++pivot)
    for (std::size_t row = pivot + 1; row < n; ++row) {
      const double factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (std::size_t column = pivot; column <= n; ++column)
        matrix[row][column] -= factor * matrix[pivot][column];
    }
  std::vector<double> solution(n);
  for (std::size_t row = n; row-- > 0;) {
    double rest = matrix[row][n];
    for (std::size_t column = row + 1; column < n; ++column)
      rest -= matrix[row][column] * solution[column];
    solution[row] = rest / matrix[row][row];
  }
  return solution;
}

// Slopes, then the offset.
std::vector<double> fit_plane(const std::vector<Point>& points, const std::vector<double>& values) {
  const std::size_t slopes = points.front().size();
  std::vector<std::vector<double>> normal(slopes + 1, std::vector<double>(slopes + 2, 0.0));
  for (std::size_t p = 0; p < points.size(); ++p) {
    Point row = points[p];
    row.push_back(1);
    for (std::size_t i = 0; i <= slopes; ++i) {
      for (std::size_t j = 0; j <= slopes; ++j)
        normal[i][j] += row[i] * row[j];
      normal[i][slopes + 1] += row[i] * values[p];
    }
  }
  for (std::size_t i = 0; i < slopes; ++i)
    normal[i][i] += flatness * static_cast<double>(points.size());
  return solve(std::move(normal));
}

} // namespace

std::vector<std::size_t> spread_points(std::span<const Point> points, std::size_t count, std::size_t first) {
  assert(first < points.size() && count > 0 && "one of the points comes first");
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen{first};
  while (chosen.size() < count) {
    for (std::size_t i = 0; i < points.size(); ++i)
      distance[i] = std::min(distance[i], squared_distance(points[i], points[chosen.back()]));
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (*farthest <= 0)
      break;
    chosen.push_back(static_cast<std::size_t>(farthest - distance.begin()));
  }
  return chosen;
}

std::size_t nearest_point(std::span<const Point> points, const Point& to) {
  assert(!points.empty() && "one of the points is nearest");
  const auto distance = [&to](const Point& from) { return squared_distance(from, to); };
  return static_cast<std::size_t>(std::ranges::min_element(points, {}, distance) - points.begin());
}

void normalise(std::vector<Point>& points) {
  for (std::size_t i = 0; !points.empty() && i < points.front().size(); ++i) {
    double least = points.front()[i], greatest = least;
    for (const Point& point : points) {
      least = std::min(least, point[i]);
      greatest = std::max(greatest, point[i]);
    }
    for (Point& point : points)
      point[i] = greatest > least ? (point[i] - least) / (greatest - least) : 0;
  }
}

Interpolation::Interpolation(std::vector<Point> points, std::vector<double> values)
    : points_(std::move(points)), values_(std::move(values)) {
  assert(!points_.empty() && points_.size() == values_.size() && "every point has a value");
  trend_ = fit_plane(points_, values_);
  for (std::size_t p = 0; p < points_.size(); ++p)
    rest_.push_back(values_[p] - trend_at(points_[p]));
  const auto [least, greatest] = std::minmax_element(values_.begin(), values_.end());
  least_ = *least;
  greatest_ = *greatest;
}

double Interpolation::trend_at(const Point& point) const {
  double value = trend_.back();
  for (std::size_t i = 0; i < point.size(); ++i)
    value += trend_[i] * point[i];
  return value;
}

double Interpolation::at(const Point& point) const {
  double weights = 0;
  double rest = 0;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const double squared = squared_distance(point, points_[p]);
    if (squared <= 0)
      return values_[p];
    const double weight = 1 / (squared * squared);
    weights += weight;
    rest += weight * rest_[p];
  }
  // A trend says little far beyond what it was drawn through.
  const double margin = (greatest_ - least_) / 2;
  return std::clamp(trend_at(point) + rest / weights, least_ - margin, greatest_ + margin);
}

std::vector<double> left_out_values(const std::vector<Point>& points, const std::vector<double>& values) {
  assert(points.size() > 1 && "something is left");
  std::vector<double> found;
  for (std::size_t out = 0; out < points.size(); ++out) {
    std::vector<Point> others = points;
    std::vector<double> known = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
    known.erase(known.begin() + static_cast<std::ptrdiff_t>(out));
    found.push_back(Interpolation(std::move(others), std::move(known)).at(points[out]));
  }
  return found;
}

} // namespace kerncast::statistics
