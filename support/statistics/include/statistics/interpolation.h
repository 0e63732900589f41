// Values at points from those known at a few of them.
//
// The trend is a plane, by least squares; what the known values differ from it by is carried on to where the
// nearest of them are (Shepard, A two-dimensional interpolation function for irregularly-spaced data, 1968:
// weights 1 / distance^4). With logarithms as coordinates and values the trend is a power law. At known
// points the value is the known one. Left out: how sure a single value is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kerncast::statistics {

using Point = std::vector<double>; // of one set of points all have as many coordinates

// So many of the points, fewer where others repeat them: `first`, then always the one that is farthest from
// all chosen ones (Gonzalez, Clustering to minimize the maximum intercluster distance, 1985); of several the
// first.
std::vector<std::size_t> spread_points(std::span<const Point> points, std::size_t count, std::size_t first);

// The first of those that are nearest. At least one point.
std::size_t nearest_point(std::span<const Point> points, const Point& to);

// Each coordinate moved and stretched to reach from 0 to 1; what never changes becomes 0.
void normalise(std::vector<Point>& points);

class Interpolation {
public:
  // At least one point; as many values.
  Interpolation(std::vector<Point> points, std::vector<double> values);

  double at(const Point& point) const;

private:
  double trend_at(const Point& point) const;

  std::vector<Point> points_;
  std::vector<double> values_;
  std::vector<double> trend_; // slopes, then the offset
  std::vector<double> rest_;  // of each value, beside the trend
  double least_ = 0;
  double greatest_ = 0;
};

// Of every point: what the interpolation of all others gives there. At least two points.
std::vector<double> left_out_values(const std::vector<Point>& points, const std::vector<double>& values);

} // namespace kerncast::statistics
