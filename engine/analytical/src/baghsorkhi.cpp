#include "analytical/baghsorkhi.h"

#include <algorithm>

namespace kerncast::analytical {
namespace {

struct Latencies {
  double alu = 0;       // of all computations
  double bandwidth = 0; // of all accesses: Latency_BW
  double exposed = 0;   // of all accesses: Latency_exposed
};

Latencies latencies(const TwoSubsystemKernel& k, double n) {
  Latencies t;
  t.alu = k.compute_instructions * std::max(k.compute_interval, k.compute_latency / (k.ilp * n));
  if (k.memory_instructions == 0)
    return t;
  const double m = k.memory_instructions;
  const double x = t.alu / m + k.memory_issue_interval;
  t.bandwidth = m * (k.memory_issue_interval + std::max(0.0, k.memory_interval - x));
  t.exposed = m / k.mlp * (k.memory_latency - (n - 1) * x);
  return t;
}

} // namespace

double baghsorkhi_cycles_per_warp(const TwoSubsystemKernel& k, double n) {
  const Latencies t = latencies(k, n);
  return t.alu + std::max(t.bandwidth, t.exposed);
}

WarpRate baghsorkhi(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  const Latencies t = latencies(k, warps);
  const bool full = k.compute_latency <= k.ilp * warps * k.compute_interval;
  WarpRate rate{.warps_per_cycle = 1 / baghsorkhi_cycles_per_warp(k, warps), .bound = "latency"};
  if (t.bandwidth >= t.exposed && t.bandwidth > t.alu)
    rate.bound = busiest_memory_subsystem(profile);
  else if (t.bandwidth >= t.exposed && full)
    rate.bound = busiest_compute_subsystem(profile);
  return rate;
}

} // namespace kerncast::analytical
