// How far predictions lie from what was measured.
//
// An error is 100 (predicted - measured) / measured: per cent, positive where too much is predicted. Rates
// that are fractions themselves (hit rates, occupancy) have differences instead: points of a hundred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "support/diagnostics.h"

namespace kerncast::statistics {

struct Pair {
  double measured = 0;
  double predicted = 0;
};

enum class Scale : std::uint8_t { relative, points };

// What is wrong with the pair, "" if nothing: numbers that are not finite, and measurements that are not
// positive on the relative scale, have no error.
std::string why_refused(const Pair& pair, Scale scale);

// Of one pair that is not refused.
double error_of(const Pair& pair, Scale scale);

struct Errors {
  std::size_t rows = 0;
  double mape = 0;   // mean of |error|
  double median = 0; // of |error|; the mean of the two in the middle for an even number of rows
  double p90 = 0;    // the least |error| that nine of ten rows do not exceed (nearest rank)
  double worst = 0;  // the greatest |error|
  std::size_t worst_row = 0;
  double bias = 0; // mean of the errors with their signs
  // None where there is no order: a side that never changes, or one row.
  std::optional<double> spearman;
  std::optional<double> kendall;
};

// Fails without rows, and at every pair that is refused (the first ten are named, rows counting from 1).
Expected<Errors> errors_of(std::span<const Pair> pairs, Scale scale = Scale::relative);

} // namespace kerncast::statistics
