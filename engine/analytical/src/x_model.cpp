#include "analytical/x_model.h"

#include "crossing.h"

namespace kerncast::analytical {

Crossing x_model_crossing(const TwoSubsystemKernel& k, double warps) {
  return crossing(
      warps, [&](double x) { return transit_demand(k, k.ilp * x); },
      [&](double w) { return transit_supply(k, k.mlp * w); });
}

WarpRate x_model(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  return rate_of(x_model_crossing(k, warps), profile, k);
}

} // namespace kerncast::analytical
