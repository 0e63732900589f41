#include "analytical/boat_hull.h"

#include <algorithm>

namespace kerncast::analytical {

double boat_hull_cycles_per_warp(const TwoSubsystemKernel& k) {
  return std::max(k.compute_instructions * k.compute_interval, k.memory_instructions * k.memory_interval);
}

WarpRate boat_hull(const KernelProfile& profile, double) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  const bool memory_bound =
      k.memory_instructions * k.memory_interval > k.compute_instructions * k.compute_interval;
  return {.warps_per_cycle = 1 / boat_hull_cycles_per_warp(k),
          .bound = memory_bound ? busiest_memory_subsystem(profile) : busiest_compute_subsystem(profile)};
}

} // namespace kerncast::analytical
