// GPUMech (Huang et al. 2014) as papers 001 (sections 7.5 to 7.8) and 003 (section 2.5) write it.
//
// One warp's intervals (computations at one per slot, then a stall) and how many instructions of the other
// warps the scheduler puts into the stalls. Equations 7, 15, 16, 21 and 22 are misprinted in the original
// and given here as its authors corrected them. Left out: the delays by MSHRs, and, as in 003, the latency
// of computations where intervals are those of a KernelProfile.
#pragma once

#include <span>

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

// Warps per issue slot, n / (total_cycles + #nonoverlapped_insts) (eq. 7 divided by the instructions). An
// interval's stall_cycles are in issue slots.
//
// Round-robin, eqs. 9 to 11: issue_prob (n - 1) (interval_insts - 1) instructions are not overlapped, with
// issue_prob the instructions over the cycles of one warp alone.
double gpumech_rr_rate(std::span<const Interval> intervals, double warps);
// 003, section 2.5.1: an instruction issues with certainty, and no more are overlapped than there are stall
// cycles: (n - 1) interval_insts - min(stall_cycles, n - 1).
double gpumech_rr_corrected_rate(std::span<const Interval> intervals, double warps);
// Greedy-then-oldest, eqs. 12 to 16:
// max(0, min(issue_prob stall_cycles, 1) avg_interval_insts (n - 1) - stall_cycles).
double gpumech_gto_rate(std::span<const Interval> intervals, double warps);
// The same with the certainty of section 2.5.1. With equal intervals it is Volkov's model without the
// latency of computations (003, section 2.5.2).
double gpumech_gto_corrected_rate(std::span<const Interval> intervals, double warps);

// In slots of lambda_comp. A kernel without stalls computes all the time.
WarpRate gpumech_rr(const KernelProfile& profile, double warps);
WarpRate gpumech_rr_corrected(const KernelProfile& profile, double warps);
WarpRate gpumech_gto(const KernelProfile& profile, double warps);
WarpRate gpumech_gto_corrected(const KernelProfile& profile, double warps);

// Requests of all SMs that share DRAM: a queue with random arrivals.
struct MemoryQueue {
  double service_cycles = 0; // s
  double requests = 0;       // in flight: transactions per access x n x SMs
  double latency = 0;        // cycles of memory
  double utilisation() const { return service_cycles * requests / latency; } // rho, eqs. 22 and 23
};
// Eq. 21: Bandwidth_delay = min(s^2 lambda / (2 (1 - rho)), s requests / 2). Negative past saturation
// (001, section 7.7), which is why no model here adds it.
double gpumech_bandwidth_delay(const MemoryQueue& queue);

} // namespace kerncast::analytical
