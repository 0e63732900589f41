// The work flow graph (Baghsorkhi et al. 2010) as paper 003 writes it, section 2.4, and corrected.
//
// A chain of sections: computations, then accesses that the next section waits for. Left out, as in 003:
// branches, and the synchrony of work groups (WLP_effect = omega).
#pragma once

#include <span>

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

struct WorkFlowSection {
  double compute_instructions = 0; // alpha_comp^i
  double ilp = 1;                  // ILP^i
  double memory_instructions = 0;  // of which the last one's latency is waited for
  double times = 1;
};

// Of the kernel the lambdas, Lambdas and barriers count; its instructions are those of the sections.
struct WorkFlowGraph {
  std::span<const WorkFlowSection> sections;
  const TwoSubsystemKernel& kernel;
};

// CPW, the cycles of a warp among omega (so that CPR = omega CPW), from
// Eq. 30: lambda_comp^trans,i = alpha_comp^i max(lambda_comp, Lambda_comp / (ILP^i omega))
// Eq. 31: CYC_comp = sum of these + lambda_mem^instr alpha_mem (printed with alpha_comp^i once too often)
// Eq. 33: lambda_mem^trans = lambda_mem^instr + max(0, (CYC_mem - CYC_comp) / alpha_mem)
// Eq. 35: NBC_avg = CYC_comp / (alpha_mem + alpha_sync + 1)
// Eq. 36: Lambda_exposed = Lambda_mem - (omega - 1) NBC_avg
double wfg_cycles_per_warp(const WorkFlowGraph& graph, double warps);

// The same with lambda_mem^instr = 0 (section 5.1) and
// Eq. 42: Lambda_exposed = Lambda_mem / omega
//           - max(0, (omega - 1) / omega NBC_avg - alpha_comp^i Lambda_comp / (omega ILP^i)).
double wfg_corrected_cycles_per_warp(const WorkFlowGraph& graph, double warps);

// With alpha_mem / MLP equal sections.
WarpRate wfg(const KernelProfile& profile, double warps);
WarpRate wfg_corrected(const KernelProfile& profile, double warps);

} // namespace kerncast::analytical
