// The times of all rows of a sweep by point and application: all that its analysis needs of them, in 16 bytes
// a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kerncast::sweep {

struct RowTimes { // NaN: no prediction
  double total_us = std::numeric_limits<double>::quiet_NaN();
  double gpu_busy_us = std::numeric_limits<double>::quiet_NaN();
};

class Times {
public:
  // Nothing is known yet. `apps`: ascending names.
  Times(std::size_t points, std::vector<std::string> apps);

  const std::vector<std::string>& apps() const { return apps_; }
  void set(std::uint32_t point, std::size_t app, const RowTimes& times);
  // By application; empty where one has no prediction.
  std::span<const RowTimes> at(std::uint32_t point) const;

private:
  std::vector<std::string> apps_;
  std::vector<std::uint32_t> place_of_; // by point: in rows_, counted in points from 1; 0: it has no row
  std::vector<RowTimes> rows_;
};

} // namespace kerncast::sweep
