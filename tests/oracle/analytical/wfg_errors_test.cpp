// The errors of the work flow graph that paper 003 finds in section 2.4.2 (Fig. 6), and their absence after
// its corrections: one computation node and one access, occupancy-bound, ILP 1, lambda_mem^instr = 0.
#include <gtest/gtest.h>

#include "analytical/wfg.h"

namespace kerncast::analytical {
namespace {

constexpr WorkFlowSection section{1, 1, 1, 1};

TwoSubsystemKernel pair(double compute_latency, double memory_latency) {
  TwoSubsystemKernel k;
  k.compute_instructions = k.memory_instructions = 1;
  k.compute_latency = compute_latency;
  k.memory_latency = memory_latency;
  return k; // intervals of 0: nothing is ever full
}

double run(const TwoSubsystemKernel& k, double warps) {
  return warps * wfg_cycles_per_warp({{&section, 1}, k}, warps);
}
double corrected_run(const TwoSubsystemKernel& k, double warps) {
  return warps * wfg_corrected_cycles_per_warp({{&section, 1}, k}, warps);
}

// Eq. 40: CPR = C + M omega - (omega - 1) C / 2 with C = alpha_comp Lambda_comp, as long as latency of memory
// is exposed; Volkov's is C + M = 14 in all three cases.
TEST(Fig6, case_1_grows_by_two_cycles_a_warp) {
  for (int warps = 1; warps <= 4; ++warps)
    EXPECT_NEAR(run(pair(8, 6), warps), 14 + 2 * (warps - 1), 1e-12) << warps;
}

// 11 + 3 omega - 5.5 (omega - 1): more warps in less time than one, which cannot be.
TEST(Fig6, case_2_takes_less_time_for_two_warps_than_for_one) {
  EXPECT_NEAR(run(pair(11, 3), 1), 14, 1e-12);
  EXPECT_NEAR(run(pair(11, 3), 2), 11.5, 1e-12);
}

// 3 + 11 omega - 1.5 (omega - 1): nine cycles and a half a warp, where they should overlap.
TEST(Fig6, case_3_grows_fast) {
  for (int warps = 1; warps <= 4; ++warps)
    EXPECT_NEAR(run(pair(3, 11), warps), 14 + 9.5 * (warps - 1), 1e-12) << warps;
}

// Eq. 42: of (omega - 1) / omega NBC_avg = (omega - 1) C / (2 omega^2) nothing is left after C / omega.
TEST(Fig6, corrected_every_case_takes_volkovs_14_cycles) {
  for (const auto& [compute, memory] : {std::pair{8.0, 6.0}, {11.0, 3.0}, {3.0, 11.0}})
    for (int warps = 1; warps <= 16; ++warps)
      EXPECT_NEAR(corrected_run(pair(compute, memory), warps), 14, 1e-9) << compute << " " << warps;
}

} // namespace
} // namespace kerncast::analytical
