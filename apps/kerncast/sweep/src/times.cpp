#include "sweep/times.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerncast::sweep {

Times::Times(std::size_t points, std::vector<std::string> apps) : apps_(std::move(apps)), place_of_(points) {}

void Times::set(std::uint32_t point, std::size_t app, const RowTimes& times) {
  std::uint32_t& place = place_of_[point];
  if (place == 0) {
    rows_.resize(rows_.size() + apps_.size());
    place = static_cast<std::uint32_t>(rows_.size() / apps_.size());
  }
  rows_[(place - 1) * apps_.size() + app] = times;
}

std::span<const RowTimes> Times::at(std::uint32_t point) const {
  if (place_of_[point] == 0)
    return {};
  const auto of_point = std::span(rows_).subspan((place_of_[point] - 1) * apps_.size(), apps_.size());
  const bool complete =
      std::ranges::none_of(of_point, [](const RowTimes& t) { return std::isnan(t.total_us); });
  return complete ? of_point : std::span<const RowTimes>();
}

} // namespace kerncast::sweep
