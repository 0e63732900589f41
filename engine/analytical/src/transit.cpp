#include "analytical/transit.h"

#include "crossing.h"

namespace kerncast::analytical {

double transit_demand(const TwoSubsystemKernel& k, double computing_warps) {
  return occupancy_roofline(k.compute_instructions, k.compute_interval, k.compute_latency, computing_warps);
}

double transit_supply(const TwoSubsystemKernel& k, double waiting_warps) {
  return occupancy_roofline(k.memory_instructions, k.memory_interval, k.memory_latency, waiting_warps);
}

Crossing transit_crossing(const TwoSubsystemKernel& k, double warps) {
  return crossing(
      warps, [&](double x) { return transit_demand(k, x); }, [&](double w) { return transit_supply(k, w); });
}

WarpRate transit(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  return rate_of(transit_crossing(k, warps), profile, k);
}

} // namespace kerncast::analytical
