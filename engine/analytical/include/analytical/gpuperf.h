// GPUPerf (Sim et al. 2012) as paper 003 reads it, section 4.2: kinds of computations have subsystems of
// their own, without issue limit, and the one that takes longest counts (eq. 44 in the place of 43).
//
// Otherwise it is Sim's model as 001 writes it (sim2012.h).
#pragma once

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

WarpRate gpuperf(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
