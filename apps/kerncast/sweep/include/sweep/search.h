// The best point of a grid under the constraints, without predicting all of it.
//
// A pattern search (Hooke and Jeeves 1961): from spread points on, the best one's neighbours are predicted,
// in every direction and in pairs of directions, up one axis and down another, as a budget forces it. Whoever
// is better is the next centre, with the same stride; where nobody is, the stride halves, and at the end the
// next best point is tried. It finds the best of what it saw: a narrow valley elsewhere may escape it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sweep/plan.h"
#include "sweep/sweep_file.h"

namespace kerncast::sweep {

class Search {
public:
  // Both must outlive the object; the plan has all points of the grid that satisfy the constraints.
  Search(const SweepFile& sweep, const Plan& plan);

  // Points to predict next, none if the search is over. `costs`: of all points that were asked for, by their
  // index; infinite where there is no prediction. The same costs lead to the same points.
  std::vector<std::uint32_t> next(const std::map<std::uint32_t, double>& costs);

private:
  using Place = std::vector<std::int64_t>; // number of the GPU, then of the value on each axis

  std::vector<std::uint32_t> first_points();
  std::vector<std::uint32_t> new_neighbours(std::uint32_t centre, std::int64_t stride);
  void add(const Place& place, std::vector<std::uint32_t>& points);
  Place place_of(const Point& point) const;
  // The best point whose neighbours are not all known.
  std::optional<std::uint32_t> best_open(const std::map<std::uint32_t, double>& costs) const;

  const SweepFile& sweep_;
  const Plan& plan_;
  std::vector<std::map<std::string, std::int64_t>> value_numbers_; // by axis
  std::map<Place, std::uint32_t> points_;
  std::map<std::uint32_t, bool> asked_; // true: all its neighbours, too
  std::int64_t stride_ = 1;
  std::optional<std::uint32_t> centre_;
};

} // namespace kerncast::sweep
