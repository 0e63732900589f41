// The model of Baghsorkhi et al. 2010 as 001 writes it, section 7.2, for one load and alpha additions.
//
// A warp is thought to run alone until it waits for memory. wfg.h has the same model in 003's form, with
// its graph. Left out, as in 001: barriers, work groups, and the "+ 1" of NBC_avg, small in long warps.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// Per load:
//   x     = alpha max(1 / alu_thru, alu_lat / (ILP n)) + lambda_mem^instr     (CYC_compute / NUM_mem)
//   Latency_BW      = lambda_mem^instr + max(0, lambda_mem - x)
//   Latency_exposed = mem_lat - (n - 1) x
//   warp latency    = alpha alu + max(Latency_BW, Latency_exposed)
// The time of all warps is the sum of their latencies, so that this is cycles per warp.
double baghsorkhi_cycles_per_warp(const TwoSubsystemKernel& kernel, double warps);
WarpRate baghsorkhi(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
