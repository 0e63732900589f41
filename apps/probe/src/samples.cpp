#include "probe/samples.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kerncast::probe {
namespace {

// How many samples at either end lie outside of the interval: the largest k of which P(B < k) <= 2.5 %, B
// being binomial with probability one half.
std::size_t outside(std::size_t samples) {
  constexpr double tail = 0.025;
  double probability = std::pow(0.5, static_cast<double>(samples));
  double sum = 0;
  std::size_t k = 0;
  for (; k < samples && sum + probability <= tail; ++k) {
    sum += probability;
    probability *= static_cast<double>(samples - k) / static_cast<double>(k + 1);
  }
  return k == 0 ? 0 : k - 1;
}

} // namespace

double Median::relative_error() const {
  constexpr double standard_errors = 2 * 1.96; // between the bounds
  return value == 0 ? 0 : std::abs((high - low) / standard_errors / value);
}

Median median_of(std::vector<double> samples) {
  assert(!samples.empty() && "a median of something");
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  const std::size_t out = outside(n);
  return {(samples[(n - 1) / 2] + samples[n / 2]) / 2, samples[out], samples[n - 1 - out], n};
}

Median difference(const Median& more, const Median& less, double divisor) {
  const double value = more.value - less.value;
  const double below = std::hypot(more.value - more.low, less.high - less.value);
  const double above = std::hypot(more.high - more.value, less.value - less.low);
  return {value / divisor, (value - below) / divisor, (value + above) / divisor,
          std::min(more.samples, less.samples)};
}

Median scaled(const Median& median, double factor) {
  return {median.value * factor, median.low * factor, median.high * factor, median.samples};
}

Median inverse(const Median& median, double factor) {
  return {factor / median.value, factor / median.high, factor / median.low, median.samples};
}

} // namespace kerncast::probe
