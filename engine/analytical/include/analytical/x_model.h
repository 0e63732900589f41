// The X-model (Li et al. 2016): Transit's crossing curves with the parallelism inside a warp.
//
// x computing warps have ILP x computations under way, k waiting ones MLP k accesses. Left out: the valley
// that the cache puts into the supply curve when more warps share it; hit rates are given, and constant.
#pragma once

#include "analytical/transit.h"

namespace kerncast::analytical {

Crossing x_model_crossing(const TwoSubsystemKernel& kernel, double warps);
WarpRate x_model(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
