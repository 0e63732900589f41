// The least or the greatest of many floats: -0 lies below +0. A NaN counts only where NaNs are kept, or where
// there is nothing else.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace kerncast::warp {

class FloatExtreme {
public:
  FloatExtreme(bool greatest, bool keeps_nan) : greatest_(greatest), keeps_nan_(keeps_nan) {}

  void add(float value) {
    if (std::isnan(value))
      has_kept_nan_ = has_kept_nan_ || keeps_nan_;
    else if (std::isnan(best_) || (greatest_ ? is_below(best_, value) : is_below(value, best_)))
      best_ = value;
  }

  std::uint32_t bits() const {
    constexpr std::uint32_t canonical_nan = 0x7fffffff;
    return has_kept_nan_ || std::isnan(best_) ? canonical_nan : std::bit_cast<std::uint32_t>(best_);
  }

private:
  static bool is_below(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

  bool greatest_, keeps_nan_;
  bool has_kept_nan_ = false;
  float best_ = NAN;
};

} // namespace kerncast::warp
