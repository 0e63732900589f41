// The Transit model (Li et al. 2015) as paper 003 writes it, section 2.2.1: x warps compute, k = omega - x
// wait for memory, and both subsystems complete equally many warps per cycle.
//
// Without ILP it is Volkov's model (003, theorem 1). Left out: ILP, the issue limit.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// Where the demand of computing warps and the supply of memory cross.
struct Crossing {
  double computing_warps = 0; // x
  double waiting_warps = 0;   // k
  double warps_per_cycle = 0; // WPC
};

// Eq. 4 with 6: WPC_comp(x) = min(1 / lambda_comp, x / Lambda_comp) / alpha_comp.
double transit_demand(const TwoSubsystemKernel& kernel, double computing_warps);
// Eq. 5 with 7: WPC_mem(k) = min(1 / lambda_mem, k / Lambda_mem) / alpha_mem.
double transit_supply(const TwoSubsystemKernel& kernel, double waiting_warps);

// Eq. 8, WPC_mem(k) = WPC_comp(omega - k), solved where the curves cross, whatever bounds them. Eqs. 9 and
// 10 are misprinted (9 has the denominators exchanged, 10 has 1 / alpha_comp for 1 / Lambda_comp); eq. 11,
// k = omega / (1 + CI Lambda_comp / Lambda_mem), is what 8 gives below both roofs.
Crossing transit_crossing(const TwoSubsystemKernel& kernel, double warps);
WarpRate transit(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
