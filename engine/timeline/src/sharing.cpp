#include "timeline/sharing.h"

#include <algorithm>

namespace kerncast::timeline {
namespace {

// Sums of fractions that are 1 may come out a little above.
constexpr double whole = 1 + 1e-9;

bool side_by_side(const KernelShare& sum) { return sum.sms <= whole; }

} // namespace

bool fit_together(const KernelShare& sum) { return side_by_side(sum) || sum.residency <= whole; }

double slowdown(const KernelShare& sum) {
  return std::max({1.0, sum.of_gpu, side_by_side(sum) ? 0.0 : sum.of_sm});
}

} // namespace kerncast::timeline
