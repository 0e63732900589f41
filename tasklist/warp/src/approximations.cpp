// Range reduction and Taylor series.
#include "approximations.h"

#include <cmath>
#include <limits>

namespace kerncast::warp {
namespace {

constexpr double ln2 = 0.693147180559945309417;
// pi/2 in two parts: the first has 33 bits, so that multiples of it are exact.
constexpr double half_pi_high = 1.57079632673412561417;
constexpr double half_pi_low = 6.07710050650619224932e-11;

// The sine's (first = 1) or cosine's (first = 0) series up to the 17th power; |x| <= pi/4.
double series(double x, int first) {
  double term = first == 1 ? x : 1, sum = term;
  for (int n = first + 2; n <= 17; n += 2) {
    term = -term * x * x / (n * (n - 1));
    sum += term;
  }
  return sum;
}

// The sine of x + quarter * pi/2.
double sine_of(double x, long quarter) {
  const double quarters = std::nearbyint(x / (half_pi_high + half_pi_low));
  const double rest = (x - quarters * half_pi_high) - quarters * half_pi_low;
  const long which = (static_cast<long>(std::fmod(quarters, 4.0)) + quarter + 8) % 4;
  const double value = series(rest, which % 2 == 0 ? 1 : 0);
  return which >= 2 ? -value : value;
}

} // namespace

double approximate_exp2(double x) {
  if (std::isnan(x))
    return x;
  if (x > 2000 || x < -2000)
    return x > 0 ? std::numeric_limits<double>::infinity() : 0;
  const double whole = std::nearbyint(x);
  const double y = (x - whole) * ln2;
  double term = 1, sum = 1;
  for (int n = 1; n <= 14; ++n) {
    term = term * y / n;
    sum += term;
  }
  return std::ldexp(sum, static_cast<int>(whole));
}

double approximate_log2(double x) {
  if (std::isnan(x) || x < 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || std::isinf(x))
    return x == 0 ? -std::numeric_limits<double>::infinity() : x;
  int exponent = 0;
  double m = std::frexp(x, &exponent); // [0.5, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double power = s, sum = 0;
  for (int n = 1; n <= 23; n += 2) {
    sum += power / n;
    power *= square;
  }
  return exponent + 2 * sum / ln2;
}

double approximate_sine(double x) {
  return std::isfinite(x) ? sine_of(x, 0) : std::numeric_limits<double>::quiet_NaN();
}

double approximate_cosine(double x) {
  return std::isfinite(x) ? sine_of(x, 1) : std::numeric_limits<double>::quiet_NaN();
}

double approximate_tanh(double x) {
  if (std::isnan(x))
    return x;
  const double size = std::fabs(x);
  if (size < 0x1p-12) // x - x^3/3 without cancellation
    return x - x * x * x / 3;
  const double e = approximate_exp2(-2 * size / ln2);
  return std::copysign((1 - e) / (1 + e), x);
}

} // namespace kerncast::warp
