// The MWP-CWP model (Hong and Kim 2009) as paper 003 writes it, section 2.3, and corrected (section 5.1).
//
// alpha_mem periods of CI computations and one access. Left out: ILP, work groups, and, in the plain form,
// the latency of computations.
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {

enum class MwpCwpCase : std::uint8_t { occupancy_bound, memory_bound, compute_bound };

struct MwpCwp {
  double mwp = 0; // warps that can access memory at a time
  double cwp = 0; // warps that can compute while one waits, that one included
  MwpCwpCase which = MwpCwpCase::occupancy_bound;
  double cycles_per_run = 0; // CPR, of omega warps
};

// Eq. 15: MWP = Lambda_mem / lambda_mem; eq. 16: CWP = Lambda_mem / (CI lambda_comp) + 1.
// Eq. 26, memory-bound:    CPR = alpha_mem omega lambda_mem + CI lambda_comp MWP
// Eq. 27, compute-bound:   CPR = alpha_comp lambda_comp omega + Lambda_mem
// Eq. 28, occupancy-bound: CPR = Lambda*_app + CI lambda_comp (omega - 1)
// Accesses are lambda_mem apart but no less than one issue, the departure delay of Hong and Kim (003, section
// 2.3.4). Every barrier adds the time to drain the accesses under way, MWP - 1 times that distance.
MwpCwp mwp_cwp(const TwoSubsystemKernel& kernel, double warps);

// Section 5.1: Lambda_app of eq. 2 in the place of Lambda*_app, and the greatest CPR of the three cases.
MwpCwp mwp_cwp_corrected(const TwoSubsystemKernel& kernel, double warps);

WarpRate mwp_cwp_rate(const KernelProfile& profile, double warps);
WarpRate mwp_cwp_corrected_rate(const KernelProfile& profile, double warps);

// The time until the accesses of MWP warps are under way: the second term of eq. 26, and eq. 29,
// CI lambda_comp + (MWP - 1) lambda_mem, where accesses start lambda_mem apart.
double fill_time_of_equation_26(const TwoSubsystemKernel& kernel, double mwp);
double fill_time_of_equation_29(const TwoSubsystemKernel& kernel, double mwp);

// Fig. 4: when the accesses of warps start that compute one after the other. Together: MWP at a time, the
// next when one has finished (MWP-CWP); spaced: lambda_mem apart (the pipeline).
enum class Departure : std::uint8_t { together, spaced };
std::vector<double> memory_departures(const TwoSubsystemKernel& kernel, int warps, Departure rule);

} // namespace kerncast::analytical
