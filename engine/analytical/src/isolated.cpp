#include "analytical/isolated.h"

#include <algorithm>

#include "least.h"

namespace kerncast::analytical {
namespace {

// Cycles per warp at which one kind of instruction leaves its subsystem: latency-bound or full.
double alone(double instructions, double latency, double interval, double parallel) {
  return instructions * std::max(latency / parallel, interval);
}

} // namespace

double isolated_compute_cycles(const TwoSubsystemKernel& k, double warps) {
  return alone(k.compute_instructions, k.compute_latency, k.compute_interval, k.ilp * warps);
}

double isolated_memory_cycles(const TwoSubsystemKernel& k, double warps) {
  return alone(k.memory_instructions, k.memory_latency, k.memory_interval, k.mlp * warps);
}

WarpRate zhang_owens(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  WarpRate rate = unbounded();
  lower(rate, 1 / isolated_compute_cycles(k, warps),
        k.compute_latency > k.ilp * warps * k.compute_interval ? "latency"
                                                               : busiest_compute_subsystem(profile));
  lower(rate, 1 / isolated_memory_cycles(k, warps),
        k.memory_latency > k.mlp * warps * k.memory_interval ? "latency" : busiest_memory_subsystem(profile));
  return rate;
}

WarpRate isolated_sum(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  WarpRate rate = zhang_owens(profile, warps); // the greater of both times names the bound
  rate.warps_per_cycle = 1 / (isolated_compute_cycles(k, warps) + isolated_memory_cycles(k, warps));
  return rate;
}

} // namespace kerncast::analytical
