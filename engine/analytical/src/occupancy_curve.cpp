#include "analytical/occupancy_curve.h"

#include <algorithm>
#include <cassert>

namespace kerncast::analytical {
namespace {

// The fewest warps from which on the curve reaches `rate`. A model's curve may fall again; what counts is
// where it gets there first.
double first_to_reach(std::span<const double> warps, std::span<const double> curve, double rate) {
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (curve[i] >= rate)
      return warps[i];
  return warps.back();
}

} // namespace

std::vector<WarpRate> occupancy_curve(const ClosedForm& model, const KernelProfile& profile, int max_warps) {
  std::vector<WarpRate> curve;
  for (int warps = 1; warps <= max_warps; ++warps)
    curve.push_back(model.rate(profile, warps));
  return curve;
}

CurvePoints points_of(std::span<const double> warps, std::span<const double> warps_per_cycle) {
  assert(!warps.empty() && warps.size() == warps_per_cycle.size() && "a rate for every number of warps");
  CurvePoints points;
  points.peak = *std::max_element(warps_per_cycle.begin(), warps_per_cycle.end());
  points.ridge_warps = first_to_reach(warps, warps_per_cycle, 0.999 * points.peak);
  points.warps_for_90_percent = first_to_reach(warps, warps_per_cycle, 0.9 * points.peak);
  return points;
}

Cusp cusp(const TwoSubsystemKernel& k) {
  return {.compute_intensity = k.memory_interval / k.compute_interval,
          .warps = k.compute_latency / k.compute_interval + k.memory_latency / k.memory_interval};
}

} // namespace kerncast::analytical
