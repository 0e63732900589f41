#include "statistics/ranks.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace kerncast::statistics {
namespace {

using Points = std::vector<std::pair<double, double>>;

std::uint64_t pairs_among(std::uint64_t n) { return n * (n - (n > 0 ? 1 : 0)) / 2; }

// Pairs of neighbours that `equal` calls equal; `points` is sorted so that equal ones are neighbours.
template <class Equal> std::uint64_t tied_pairs(const Points& points, Equal equal) {
  std::uint64_t tied = 0;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin + 1;
    while (end < points.size() && equal(points[begin], points[end]))
      ++end;
    tied += pairs_among(end - begin);
    begin = end;
  }
  return tied;
}

// Sorts `values[begin, end)` and counts the pairs that stood the wrong way round.
std::uint64_t inversions(std::vector<double>& values, std::size_t begin, std::size_t end) {
  if (end - begin < 2)
    return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  std::uint64_t count = inversions(values, begin, middle) + inversions(values, middle, end);
  std::vector<double> merged;
  merged.reserve(end - begin);
  std::size_t right = middle;
  for (std::size_t left = begin; left < middle; ++left) {
    for (; right < end && values[right] < values[left]; ++right)
      merged.push_back(values[right]);
    count += right - middle;
    merged.push_back(values[left]);
  }
  std::copy(merged.begin(), merged.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
  return count;
}

} // namespace

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]])
      ++end;
    for (std::size_t i = begin; i < end; ++i)
      result[order[i]] = static_cast<double>(begin + 1 + end) / 2; // the mean of begin + 1 to end
    begin = end;
  }
  return result;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size() && "a value of both sides in every row");
  const std::vector<double> rank_a = ranks(a);
  const std::vector<double> rank_b = ranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double covariance = 0;
  double variance_a = 0;
  double variance_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    covariance += (rank_a[i] - mean) * (rank_b[i] - mean);
    variance_a += (rank_a[i] - mean) * (rank_a[i] - mean);
    variance_b += (rank_b[i] - mean) * (rank_b[i] - mean);
  }
  if (variance_a == 0 || variance_b == 0)
    return {};
  return covariance / std::sqrt(variance_a * variance_b);
}

std::optional<double> kendall(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size() && "a value of both sides in every row");
  Points points;
  for (std::size_t i = 0; i < a.size(); ++i)
    points.emplace_back(a[i], b[i]);
  std::ranges::sort(points);
  const std::uint64_t all = pairs_among(points.size());
  const std::uint64_t tied_a = tied_pairs(points, [](auto& x, auto& y) { return x.first == y.first; });
  const std::uint64_t tied_both = tied_pairs(points, [](auto& x, auto& y) { return x == y; });
  std::vector<double> seconds;
  for (const auto& point : points)
    seconds.push_back(point.second);
  const std::uint64_t opposite = inversions(seconds, 0, seconds.size());
  std::ranges::sort(points, {}, [](const auto& p) { return p.second; });
  const std::uint64_t tied_b = tied_pairs(points, [](auto& x, auto& y) { return x.second == y.second; });
  if (all == tied_a || all == tied_b)
    return {};
  const auto differing = static_cast<double>(all - tied_a - tied_b + tied_both);
  return (differing - 2 * static_cast<double>(opposite)) /
         std::sqrt(static_cast<double>(all - tied_a) * static_cast<double>(all - tied_b));
}

} // namespace kerncast::statistics
