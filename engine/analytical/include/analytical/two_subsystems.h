// A kernel in the parameters of paper 003, Table 2: one computational and one memory subsystem.
//
// With alpha_mem = 1 and alpha_comp = alpha it is 001's workload "cadd" (section 4.1): one load and alpha
// additions, each dependent on the one before, again and again. Left out: every difference between
// computations, and between accesses to memory.
#pragma once

#include <string>

#include "analytical/kernel_profile.h"

namespace kerncast::analytical {

struct TwoSubsystemKernel {
  double compute_instructions = 0;  // alpha_comp
  double memory_instructions = 0;   // alpha_mem
  double barriers = 0;              // alpha_sync
  double compute_interval = 0;      // lambda_comp
  double compute_latency = 0;       // Lambda_comp
  double memory_interval = 0;       // lambda_mem
  double memory_latency = 0;        // Lambda_mem
  double memory_issue_interval = 0; // lambda_mem^instr: an access on the computational subsystem
  double ilp = 1;                   // computations of a warp under way at a time, while nothing is full
  double mlp = 1;                   // accesses of a warp under way at a time
  double issue_limit = 0;           // instructions per cycle; 0: unlimited

  double compute_intensity() const { return compute_instructions / memory_instructions; } // CI
};

// The computations share one subsystem (eq. 43), so their lambdas add up; lambda_mem is that of the slowest
// stage on the way to memory. ILP is the sum of the computations' latencies over the critical path without
// memory, MLP the sum of the accesses' latencies over what memory adds to that path.
// lambda_mem^instr = lambda_comp (003, section 2.4.1).
TwoSubsystemKernel two_subsystems(const KernelProfile& profile);

// The other way: subsystems "compute" and "memory", intervals of equal length.
KernelProfile profile_of(const TwoSubsystemKernel& kernel);

// The subsystem that computations, or accesses to memory, keep busy longest; "latency" where there is none.
std::string busiest_compute_subsystem(const KernelProfile& profile);
std::string busiest_memory_subsystem(const KernelProfile& profile);

} // namespace kerncast::analytical
