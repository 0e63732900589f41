#include "analytical/hong_kim.h"

#include <algorithm>

namespace kerncast::analytical {

TwoSubsystemKernel hong_kim_gtx280(double compute_intensity) {
  constexpr double bytes_per_cycle_and_sm = 141.7 / 1.296 / 30;
  TwoSubsystemKernel k;
  k.compute_instructions = compute_intensity;
  k.memory_instructions = 1;
  k.compute_interval = 4;
  k.memory_interval = 128 / bytes_per_cycle_and_sm;
  k.memory_latency = 434;
  k.memory_issue_interval = 4;
  return k;
}

HongKim hong_kim(const TwoSubsystemKernel& k, double n) {
  const double issue = k.compute_interval * (k.compute_instructions + k.memory_instructions);
  if (k.memory_instructions == 0)
    return {.mwp = n, .cwp = 1, .cycles_per_warp = issue};
  const double latency = k.memory_instructions * k.memory_latency;
  HongKim r;
  r.mwp = std::min(n, k.memory_latency / k.memory_interval);
  r.cwp = std::min(n, 1 + latency / issue);
  if (r.mwp == n && r.cwp == n)
    r.cycles_per_warp = (latency + issue) / n;
  else
    r.cycles_per_warp = r.cwp <= r.mwp ? issue : latency / r.mwp;
  return r;
}

WarpRate hong_kim_rate(const KernelProfile& profile, double warps) {
  const HongKim r = hong_kim(two_subsystems(profile), warps);
  WarpRate rate{.warps_per_cycle = 1 / r.cycles_per_warp, .bound = "latency"};
  if (r.mwp < warps || r.cwp < warps)
    rate.bound = r.cwp <= r.mwp ? busiest_compute_subsystem(profile) : busiest_memory_subsystem(profile);
  return rate;
}

} // namespace kerncast::analytical
