#include "sweep/search.h"

#include <algorithm>
#include <limits>

#include "axis_points.h"
#include "sweep/sampling.h"

namespace kerncast::sweep {

Search::Search(const SweepFile& sweep, const Plan& plan) : sweep_(sweep), plan_(plan) {
  for (const Axis& axis : sweep.axes) {
    std::map<std::string, std::int64_t>& numbers = value_numbers_.emplace_back();
    for (std::string& value : values_of(axis))
      numbers.emplace(std::move(value), static_cast<std::int64_t>(numbers.size()));
    stride_ = std::max(stride_, static_cast<std::int64_t>(numbers.size()) / 4);
  }
  for (std::uint32_t p = 0; p < plan.points.size(); ++p)
    points_.emplace(place_of(plan.points[p]), p);
}

Search::Place Search::place_of(const Point& point) const {
  Place place = {point.base};
  for (std::size_t a = 0; a < sweep_.axes.size(); ++a)
    for (const configs::Setting& setting : point.settings)
      if (setting.key == sweep_.axes[a].keys.front().key.text)
        place.push_back(value_numbers_[a].at(setting.value));
  return place;
}

void Search::add(const Place& place, std::vector<std::uint32_t>& points) {
  const auto found = points_.find(place);
  if (found != points_.end() && asked_.size() < sweep_.points && asked_.emplace(found->second, false).second)
    points.push_back(found->second);
}

// A third of what may be predicted: Sobol's points where they satisfy the constraints, and evenly spaced
// ones.
std::vector<std::uint32_t> Search::first_points() {
  constexpr std::size_t tries = 16, most_tries = 1 << 16;
  const std::size_t wanted = std::min(plan_.points.size(), std::max<std::size_t>(1, sweep_.points / 3));
  std::vector<std::uint32_t> points;
  const std::vector<Coordinates> spread =
      sobol(sweep_.axes.size(), std::min(most_tries, tries * wanted), sweep_.seed);
  for (std::size_t i = 0; i < spread.size() && points.size() < wanted; ++i) {
    Place place = {static_cast<std::int64_t>(i % plan_.bases.size())};
    for (std::size_t a = 0; a < sweep_.axes.size(); ++a)
      place.push_back(
          static_cast<std::int64_t>(spread[i][a] * static_cast<double>(value_numbers_[a].size())));
    add(place, points);
  }
  const std::size_t apart = std::max<std::size_t>(1, plan_.points.size() / wanted);
  for (std::size_t p = 0; p < plan_.points.size() && points.size() < wanted; p += apart)
    add(place_of(plan_.points[p]), points);
  return points;
}

std::vector<std::uint32_t> Search::new_neighbours(std::uint32_t centre, std::int64_t stride) {
  const Place at = place_of(plan_.points[centre]);
  std::vector<std::uint32_t> points;
  const auto add_moved = [&](std::size_t up, std::size_t down) { // 0: no axis
    Place place = at;
    place[up] += up != 0 ? stride : 0;
    place[down] -= down != 0 ? stride : 0;
    add(place, points);
  };
  for (std::size_t up = 0; up < at.size(); ++up)
    for (std::size_t down = 0; down < at.size(); ++down)
      if (up != down)
        add_moved(up, down);
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    Place place = at;
    place[0] = static_cast<std::int64_t>(base);
    add(place, points);
  }
  return points;
}

std::optional<std::uint32_t> Search::best_open(const std::map<std::uint32_t, double>& costs) const {
  double least = std::numeric_limits<double>::infinity();
  std::optional<std::uint32_t> best;
  for (const auto& [point, cost] : costs)
    if (const auto asked = asked_.find(point); asked != asked_.end() && !asked->second && cost < least) {
      least = cost;
      best = point;
    }
  return best;
}

std::vector<std::uint32_t> Search::next(const std::map<std::uint32_t, double>& costs) {
  if (asked_.empty())
    return first_points();
  while (asked_.size() < sweep_.points) {
    const std::optional<std::uint32_t> best = best_open(costs);
    if (!best)
      break;
    if (best == centre_ && stride_ == 1) {
      asked_[*best] = true;
      centre_.reset();
      continue;
    }
    if (best == centre_)
      stride_ /= 2;
    centre_ = best;
    if (std::vector<std::uint32_t> points = new_neighbours(*best, stride_); !points.empty())
      return points;
  }
  return {};
}

} // namespace kerncast::sweep
