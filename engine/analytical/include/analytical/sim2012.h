// The model of Sim et al. 2012 as 001 writes it, section 7.4: Hong and Kim's with arithmetic latency.
//
// Left out, as in 001: the departure delay, and the costs of divergence and cache misses that it adds.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// Cycles per warp of n, which is Texec / n:
//   alu   = max(alu_lat / (ILP n), 1 / alu_thru)
//   Tcomp = (alpha + 1) n alu
//   MWP   = min(n, mem_lat mem_thru),  CWP = min(n, 1 + mem_lat / ((alpha + 1) alu))
//   Tmem  = n mem_lat / min(MLP min(MWP, max(1, CWP - 1)), mem_lat mem_thru)
//   Texec = max(Tcomp, Tmem) if CWP > MWP, else max(Tcomp, Tmem + Tcomp / n)
double sim2012_cycles_per_warp(const TwoSubsystemKernel& kernel, double warps);
WarpRate sim2012(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
