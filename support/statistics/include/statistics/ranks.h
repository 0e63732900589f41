// Rank correlations: do predictions put configurations in the order in which the machine does?
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace kerncast::statistics {

// From 1; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

// Pearson's correlation of the ranks. None if one side never changes. Both are equally long and finite.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

// Kendall's tau-b: pairs in the same order less those in opposite order, over the geometric mean of the pairs
// that differ on each side. Takes n log n steps (Knight 1966).
std::optional<double> kendall(std::span<const double> a, std::span<const double> b);

} // namespace kerncast::statistics
