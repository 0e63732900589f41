#include "statistics/logarithm.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace kerncast::statistics {
namespace {

constexpr double log_of_two = 0.693147180559945309417;
constexpr double root_of_half = 0.707106781186547524401;

} // namespace

double binary_logarithm(double value) {
  assert(value > 0 && std::isfinite(value) && "only these have a logarithm");
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent); // 0.5 to 1, exact
  if (mantissa < root_of_half) {
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 atanh((m - 1) / (m + 1)), whose argument is below 0.172: 0.172^23 is below 1e-17.
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int power = 21; power >= 1; power -= 2)
    sum = sum * s * s + 1.0 / power;
  return exponent + 2 * s * sum / log_of_two;
}

double power_of_two(double exponent) {
  constexpr double beyond = 1100; // of any double, small ones included
  if (exponent > beyond)
    return std::numeric_limits<double>::infinity();
  if (exponent < -beyond)
    return 0;
  const double whole = std::floor(exponent + 0.5);
  const double x = (exponent - whole) * log_of_two; // at most 0.35: 0.35^16 / 16! is below 1e-20
  double sum = 1;
  for (int n = 15; n >= 1; --n)
    sum = 1 + x * sum / n;
  return std::ldexp(sum, static_cast<int>(whole));
}

} // namespace kerncast::statistics
