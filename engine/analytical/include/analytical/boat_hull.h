// The boat hull model of Nugteren and Corporaal 2012: the roofline as a time, for a class of algorithms.
//
// The class sets what a computation and an access cost; here it is the kernel itself, with the mean lambdas
// of its own computations and accesses. Unlike the roofline it knows two subsystems only. Left out: the
// copies between host and device and the launch, which kerncast's timeline adds.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// Eq. 1 of 003 as cycles per warp: max(alpha_comp lambda_comp, alpha_mem lambda_mem).
double boat_hull_cycles_per_warp(const TwoSubsystemKernel& kernel);
WarpRate boat_hull(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
