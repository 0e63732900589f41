// The model of Hong and Kim 2009 as 001 writes it, section 7.1, for long warps: arithmetic has no latency.
//
// Left out, as in 001: the terms of one warp's first and last instructions, and the departure delay, whose
// cap is loose for coalesced accesses. mwp_cwp.h has the whole of it in 003's form.
#pragma once

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

// The constants of the GTX280: 434 cycles of latency (001, Table 6.2), 4 cycles per warp instruction, and
// the pin bandwidth: 141.7 GB/s at 1296 MHz for 30 SMs and 128 bytes.
TwoSubsystemKernel hong_kim_gtx280(double compute_intensity);

struct HongKim {
  double mwp = 0;             // min(n, mem_lat / lambda_mem)
  double cwp = 0;             // min(n, 1 + mem_lat / ((alpha + 1) instruction time))
  double cycles_per_warp = 0; // Time / n
};
// CWP = MWP = n: Time = mem_lat + (alpha + 1) instruction time; CWP <= MWP: (alpha + 1) n instruction time;
// else memory: n mem_lat / MWP.
HongKim hong_kim(const TwoSubsystemKernel& kernel, double warps);
WarpRate hong_kim_rate(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
