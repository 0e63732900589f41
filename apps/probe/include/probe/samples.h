// Repeated measurements of one quantity: their median, and how well it is known.
#pragma once

#include <vector>

namespace kerncast::probe {

// Of the median, with the bounds of its 95 % confidence interval: order statistics whose ranks the binomial
// distribution gives, whatever the samples' own distribution is (Hogg and Craig, Introduction to Mathematical
// Statistics, confidence intervals for quantiles). Fewer than six samples have no such bounds but their
// extremes.
struct Median {
  double value = 0;
  double low = 0;
  double high = 0;
  std::size_t samples = 0;

  // One standard error relative to the value, as of a normal distribution with these bounds.
  double relative_error() const;
};

// `samples` is not empty.
Median median_of(std::vector<double> samples);

// Of a difference of two medians, divided: their errors add as those of independent quantities.
Median difference(const Median& more, const Median& less, double divisor);
Median scaled(const Median& median, double factor);
// factor / median; all bounds are positive.
Median inverse(const Median& median, double factor);

} // namespace kerncast::probe
