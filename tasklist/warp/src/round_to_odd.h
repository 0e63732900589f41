// Sums in double that may be rounded once more without error.
#pragma once

#include <bit>
#include <cstdint>

namespace kerncast::warp {

// a + b rounded to odd: rounded to a narrower format, it is as if that had been the only rounding (Boldo,
// Melquiond: Emulation of FMA and correctly rounded sums, section 4). Without branches, for vector code.
inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  // Towards the error by one unit where the sum is even and not exact. NaN errors compare false.
  const std::int64_t inexact = static_cast<std::int64_t>(error < 0) | static_cast<std::int64_t>(error > 0);
  const std::int64_t grows = static_cast<std::int64_t>((error > 0) == (sum > 0));
  const std::int64_t step = (2 * grows - 1) & -(inexact & ~bits & 1);
  return std::bit_cast<double>(bits + step);
}

} // namespace kerncast::warp
