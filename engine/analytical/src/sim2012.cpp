#include "analytical/sim2012.h"

#include <algorithm>

namespace kerncast::analytical {
namespace {

// Tcomp and Tmem of all warps.
struct Times {
  double compute = 0;
  double memory = 0;
  bool serial = false; // CWP <= MWP: the first warp's computations come before its accesses
};

Times times(const TwoSubsystemKernel& k, double n) {
  const double alu = std::max(k.compute_latency / (k.ilp * n), k.compute_interval);
  const double instructions = k.compute_instructions + k.memory_instructions;
  Times t{.compute = instructions * n * alu};
  if (k.memory_instructions == 0)
    return t;
  const double peak = k.memory_latency / k.memory_interval; // MWP_peak_bw
  const double mwp = std::min(n, peak);
  const double cwp = std::min(n, 1 + k.memory_instructions * k.memory_latency / (instructions * alu));
  const double parallel = std::min(k.mlp * std::min(mwp, std::max(1.0, cwp - 1)), peak);
  t.memory = k.memory_instructions * n * k.memory_latency / parallel;
  t.serial = cwp <= mwp;
  return t;
}

} // namespace

double sim2012_cycles_per_warp(const TwoSubsystemKernel& k, double n) {
  const Times t = times(k, n);
  return std::max(t.compute, t.serial ? t.memory + t.compute / n : t.memory) / n;
}

WarpRate sim2012(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  const Times t = times(k, warps);
  const bool full = k.compute_latency <= k.ilp * warps * k.compute_interval;
  const bool memory_full =
      k.memory_instructions > 0 && t.memory <= k.memory_instructions * warps * k.memory_interval;
  WarpRate rate{.warps_per_cycle = 1 / sim2012_cycles_per_warp(k, warps), .bound = "latency"};
  if (t.compute >= t.memory && full)
    rate.bound = busiest_compute_subsystem(profile);
  else if (t.memory > t.compute && memory_full)
    rate.bound = busiest_memory_subsystem(profile);
  return rate;
}

} // namespace kerncast::analytical
