#include "analytical/volkov.h"

#include <algorithm>
#include <numeric>

#include "analytical/roofline.h"

namespace kerncast::analytical {

double application_latency(std::span<const double> dependent_latencies,
                           std::span<const double> independent_intervals) {
  return std::accumulate(dependent_latencies.begin(), dependent_latencies.end(), 0.0) +
         std::accumulate(independent_intervals.begin(), independent_intervals.end(), 0.0);
}

double volkov_warps_per_cycle(double roof_warps_per_cycle, double warps, double application_latency) {
  return std::min(roof_warps_per_cycle, warps / application_latency);
}

WarpRate volkov(const KernelProfile& profile, double warps) {
  WarpRate rate = roofline(profile);
  const auto bound_by = [&rate](double warps_per_cycle, const char* bound) {
    if (warps_per_cycle < rate.warps_per_cycle)
      rate = {.warps_per_cycle = warps_per_cycle, .bound = bound};
  };
  if (profile.issue_limit > 0 && profile.instructions > 0)
    bound_by(profile.issue_limit / profile.instructions, "issue");
  if (profile.critical_path_latency > 0)
    bound_by(warps / profile.critical_path_latency, "latency");
  return rate;
}

} // namespace kerncast::analytical
