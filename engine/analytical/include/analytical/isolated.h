// Computations and accesses to memory each as if the others were not there (001, sections 4.11, 4.12, 7.3).
//
// The maximum of both times is the model of Zhang and Owens 2011 with closed forms in the place of their
// measured throughputs; it hides too much in the latency-bound part. The sum overlaps nothing.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// Cycles per warp of n: alu_time = alpha / min(n / alu_lat, alu_thru), mem_time likewise.
double isolated_compute_cycles(const TwoSubsystemKernel& kernel, double warps);
double isolated_memory_cycles(const TwoSubsystemKernel& kernel, double warps);

// Time = max(alu_time, mem_time).
WarpRate zhang_owens(const KernelProfile& profile, double warps);
// Time = alu_time + mem_time.
WarpRate isolated_sum(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
