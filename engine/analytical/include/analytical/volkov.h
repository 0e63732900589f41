// Volkov's occupancy roofline (dissertation 2016) as paper 003 writes it, section 2.2.
//
// A warp's own latency is hidden by other warps until a subsystem is full: an upper bound at every
// occupancy. Left out: contention (001, section 6.4).
#pragma once

#include <span>

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

// Eq. 2: Lambda_app = sum of Lambda over the instructions that others wait for + sum of lambda over those
// that run beside another one.
//
// 003's example (Table 2: lambda_comp 1, Lambda_comp 4, Lambda_mem 6; C1; C2; M1(C1,C2); C3(M1); C4(C3);
// M2(C4)): C1 and C2 are independent, so one of them counts with lambda, the other five instructions with
// Lambda: (4 + 6 + 4 + 4 + 6) + 1 = 25.
double application_latency(std::span<const double> dependent_latencies,
                           std::span<const double> independent_intervals);

// Eq. 3: WPC = min(WPC_roof, omega / Lambda_app).
double volkov_warps_per_cycle(double roof_warps_per_cycle, double warps, double application_latency);

// Eq. 3 with the issue limit IL as one more bound on throughput: IL / instructions per warp (003, sec. 4.2).
WarpRate volkov(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
