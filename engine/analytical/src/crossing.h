// Finds where a falling demand and a rising supply of warps cross.
#pragma once

#include <algorithm>
#include <limits>

#include "analytical/transit.h"

namespace kerncast::analytical {

// One subsystem's occupancy roofline in warps per cycle. No instructions: no bound.
inline double occupancy_roofline(double instructions, double interval, double latency, double parallel) {
  if (instructions == 0)
    return std::numeric_limits<double>::infinity();
  return std::min(1 / interval, parallel / latency) / instructions;
}

// demand(x) and supply(k) grow with their warps; x + k = warps.
template <class Demand, class Supply>
Crossing crossing(double warps, const Demand& demand, const Supply& supply) {
  constexpr int halvings = 200; // more than a double has bits
  double low = 0;
  double high = warps;
  for (int i = 0; i < halvings; ++i) {
    const double k = (low + high) / 2;
    (supply(k) < demand(warps - k) ? low : high) = k;
  }
  // Either curve may have a step from 0 to infinity at its end (no instructions of that kind).
  return {.computing_warps = warps - high,
          .waiting_warps = high,
          .warps_per_cycle = std::min(supply(high), demand(warps - low))};
}

// What bounds the crossing: the roof that one of the curves is on there, else latency.
inline WarpRate rate_of(const Crossing& at, const KernelProfile& profile, const TwoSubsystemKernel& k) {
  constexpr double on_the_roof = 1 - 1e-9;
  WarpRate rate{.warps_per_cycle = at.warps_per_cycle, .bound = "latency"};
  if (at.warps_per_cycle * k.compute_instructions * k.compute_interval > on_the_roof)
    rate.bound = busiest_compute_subsystem(profile);
  else if (at.warps_per_cycle * k.memory_instructions * k.memory_interval > on_the_roof)
    rate.bound = busiest_memory_subsystem(profile);
  return rate;
}

} // namespace kerncast::analytical
