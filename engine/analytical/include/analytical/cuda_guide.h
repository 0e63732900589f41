// The rule of the CUDA programming guide for the warps that hide the latency of memory (001, section 4.8).
//
// Left out by the rule: the latency of arithmetic, and memory bandwidth.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// warps needed = mem_lat / (alpha x instruction time), instruction time = 1 / alu_thru.
double cuda_guide_needed_warps(const TwoSubsystemKernel& kernel);

// Full arithmetic throughput from so many warps on, in proportion below.
WarpRate cuda_guide(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
