// Volkov's refined model (001, sections 6.4 and 6.5): the latency of DRAM grows with its traffic.
//
// Smoothens the occupancy roofline around its ridge. Left out: contention anywhere but in DRAM. Where the
// coefficients are not known it is Volkov's basic model.
#pragma once

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

// Cycles of one warp while the SM completes so many warps per cycle (001, section 6.5):
// Latency = a + b x / (c - x) + alpha alu_lat, x in 1e9 bytes/s of the device; infinite from x = c on.
double loaded_path_latency(const KernelProfile& profile, double warps_per_cycle);

// X = min(n / Latency(X), throughput bounds), found by bisection: X Latency(X) grows with X.
WarpRate volkov_contention(const KernelProfile& profile, double warps);

// Warps that reach `fraction` of the throughput bounds: by Little's law, latency x throughput (001,
// sec. 3.6).
double needed_warps(const KernelProfile& profile, double fraction);
double needed_warps_with_contention(const KernelProfile& profile, double fraction);

} // namespace kerncast::analytical
