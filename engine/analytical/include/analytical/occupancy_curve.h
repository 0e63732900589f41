// A model's throughput over the warps on an SM, and the points that one reads off it.
#pragma once

#include <span>
#include <vector>

#include "analytical/models.h"
#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// At 1, 2, ... max_warps warps.
std::vector<WarpRate> occupancy_curve(const ClosedForm& model, const KernelProfile& profile, int max_warps);

struct CurvePoints {
  double peak = 0;                 // warps per cycle, the greatest of the curve
  double ridge_warps = 0;          // from so many on it is within 0.1 % of the peak: throughput-bound
  double warps_for_90_percent = 0; // the fewest that reach 90 % of the peak
};
// `warps` grows; both spans are equally long and not empty.
CurvePoints points_of(std::span<const double> warps, std::span<const double> warps_per_cycle);

// The compute intensity that needs the most warps: both subsystems are full at once (001, section 4.4).
// alpha* = alu_thru / mem_thru, n_max = alu_lat alu_thru + mem_lat mem_thru.
struct Cusp {
  double compute_intensity = 0;
  double warps = 0;
};
Cusp cusp(const TwoSubsystemKernel& kernel);

} // namespace kerncast::analytical
