// The roofline model (Williams et al. 2009) as paper 003 writes it, section 2.1.
//
// All subsystems overlap perfectly and every latency is hidden: an upper bound.
#pragma once

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

// Eq. 1: IPC = min(IPC_comp, BW CI), with BW in memory instructions per cycle and CI, the compute intensity,
// in computational instructions per memory instruction.
double roofline_ipc(double ipc_compute, double bandwidth, double compute_intensity);

// The same for any number of subsystems (Konstantinidis and Cotronis 2017; 003 after eq. 3):
// WPC = min over subsystems of 1 / (sum of lambda). The issue limit is no part of this model.
WarpRate roofline(const KernelProfile& profile);

} // namespace kerncast::analytical
