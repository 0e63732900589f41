// The curves of paper 003's Fig. 2 (models as published) and Fig. 14 (corrected) for its example kernel,
// whose roof is 1/4 warp per cycle. The figures' points are not in the text; what it says of them is.
#include <gtest/gtest.h>

#include <algorithm>

#include "analytical/gpumech.h"
#include "analytical/mwp_cwp.h"
#include "analytical/transit.h"
#include "analytical/volkov.h"
#include "example_003.h"

namespace kerncast::analytical {
namespace {

double volkov_rate(int warps) { return std::min(warps / 25.0, 0.25); }
KernelProfile profile_of_example() { return profile_of(example::kernel()); }

double wfg_rate(int warps) { return 1 / wfg_cycles_per_warp({example::sections, example::kernel()}, warps); }
double wfg_corrected_rate(int warps) {
  return 1 / wfg_corrected_cycles_per_warp({example::sections, example::kernel()}, warps);
}

TEST(Fig2, volkov) {
  for (int warps = 1; warps <= 12; ++warps)
    EXPECT_NEAR(volkov(profile_of_example(), warps).warps_per_cycle, volkov_rate(warps), 1e-12) << warps;
}

// Fig. 3 has omega = 5. Without ILP Lambda_app is 4 x 4 + 2 x 6 = 28: 5 / 28, where k = 5 / (1 + 2 x 4 / 6)
// warps wait (eq. 11).
TEST(Fig3, transit_crosses_where_equation_11_says) {
  const Crossing at = transit_crossing(example::kernel(), 5);
  EXPECT_NEAR(at.warps_per_cycle, 5 / 28.0, 1e-12);
  EXPECT_NEAR(at.waiting_warps, 5 / (1 + 8.0 / 6), 1e-9);
  EXPECT_NEAR(at.computing_warps + at.waiting_warps, 5, 1e-12);
}

// Section 2.3.2: MWP = 6 / 2 = 3 < CWP = 6 / (2 x 1) + 1 = 4.
// Eq. 28 up to 3 warps: 12 + 4 + 2 (omega - 1); eq. 26 beyond: 2 x omega x 2 + 2 x 1 x 3.
TEST(Fig2, mwp_cwp) {
  const double runs[] = {16, 18, 20, 22, 26, 30};
  for (int warps = 1; warps <= 6; ++warps) {
    const MwpCwp r = mwp_cwp(example::kernel(), warps);
    EXPECT_EQ(r.cycles_per_run, runs[warps - 1]) << warps;
    EXPECT_EQ(r.which, warps <= 3 ? MwpCwpCase::occupancy_bound : MwpCwpCase::memory_bound) << warps;
  }
  EXPECT_EQ(mwp_cwp(example::kernel(), 10).mwp, 3);
  EXPECT_EQ(mwp_cwp(example::kernel(), 10).cwp, 4);
}

// "For low occupancies, the performance is higher than Volkov's."
TEST(Fig2, mwp_cwp_begins_above_volkov) {
  for (int warps = 1; warps <= 4; ++warps)
    EXPECT_GT(warps / mwp_cwp(example::kernel(), warps).cycles_per_run, volkov_rate(warps)) << warps;
}

// CI = 4: MWP = 3 > CWP = 6 / 4 + 1 = 2.5. Eq. 27 from 3 warps on: 8 x 1 x omega + 6.
TEST(MwpCwpEq27, the_compute_bound_case) {
  TwoSubsystemKernel k = example::kernel();
  k.compute_instructions = 8;
  EXPECT_EQ(mwp_cwp(k, 3).which, MwpCwpCase::compute_bound);
  EXPECT_EQ(mwp_cwp(k, 3).cycles_per_run, 8 * 3 + 6);
  EXPECT_EQ(mwp_cwp(k, 10).cycles_per_run, 8 * 10 + 6);
}

// Two barriers, each (MWP - 1) x 2 cycles to drain.
TEST(MwpCwp, barriers_drain_the_accesses_under_way) {
  TwoSubsystemKernel k = example::kernel();
  k.barriers = 2;
  EXPECT_EQ(mwp_cwp(k, 10).cycles_per_run, 46 + 2 * 2 * 2);
}

// One warp: 2 max(1, 4 / 2) + 2 x 4 + 2 x 6 = 24. At 4: both transitions are 2, CYC_comp is 2 + 2 + 2,
// NBC_avg 6 / 3, nothing of 6 - 3 x 2 is exposed, so that each access takes its issue: 2 + 1 + 2 + 1 = 6.
TEST(Fig2, wfg) {
  EXPECT_NEAR(wfg_rate(1), 1.0 / 24, 1e-12);
  EXPECT_NEAR(wfg_rate(4), 1.0 / 6, 1e-12);
  EXPECT_NEAR(wfg_rate(40), 1.0 / 6, 1e-12);
}

// Section 2.4.4: "slightly above Volkov's roofline for omega = 3 or 4", and below from 5 on, because
// accesses issue where computations do.
TEST(Fig2, wfg_passes_volkov_at_three_and_four_warps) {
  EXPECT_LT(wfg_rate(2), volkov_rate(2));
  for (const int warps : {3, 4}) {
    EXPECT_GT(wfg_rate(warps), volkov_rate(warps)) << warps;
    EXPECT_LT(wfg_rate(warps), 1.1 * volkov_rate(warps)) << warps;
  }
  for (int warps = 5; warps <= 12; ++warps)
    EXPECT_LT(wfg_rate(warps), volkov_rate(warps)) << warps;
}

// Two intervals of two computations and 6 stall cycles, 16 cycles alone. Round-robin: issue_prob 4 / 16,
// (n - 1) / 4 instructions of each interval not overlapped. "The performance goes through the roof."
TEST(Fig2, gpumech_round_robin_goes_through_the_roof) {
  for (int warps = 1; warps <= 12; ++warps)
    EXPECT_NEAR(gpumech_rr(profile_of_example(), warps).warps_per_cycle, warps / (16 + 0.5 * (warps - 1)),
                1e-12);
  EXPECT_GT(gpumech_rr(profile_of_example(), 6).warps_per_cycle, 0.25);
}

// min(6 / 4, 1) = 1: all instructions of the others fill the stalls. Slightly above Volkov's curve because
// computations have no latency, and converging to its roof.
TEST(Fig2, gpumech_greedy_then_oldest_converges_to_the_roof) {
  for (int warps = 1; warps <= 12; ++warps) {
    const double rate = gpumech_gto(profile_of_example(), warps).warps_per_cycle;
    EXPECT_NEAR(rate, warps / (16 + 2 * std::max(0.0, 2.0 * (warps - 1) - 6)), 1e-12) << warps;
    EXPECT_GE(rate, volkov_rate(warps) - 1e-12) << warps;
    EXPECT_LE(rate, 0.25 + 1e-12) << warps;
  }
}

// Huang et al. Fig. 8, from 003 section 2.5.1: 3 instructions, 6 stall cycles, 4 warps. As published 2
// instructions are not overlapped, 1/3 x 3 x 2; in their figure, and corrected, 6 = 3 x 3 - 3.
TEST(GpuMech, the_example_of_its_figure_8) {
  const std::vector<Interval> interval = {{3, 6, 1}};
  EXPECT_NEAR(gpumech_rr_rate(interval, 4), 4 / (9.0 + 2), 1e-12);
  EXPECT_NEAR(gpumech_rr_corrected_rate(interval, 4), 4 / (9.0 + 6), 1e-12);
}

// Fig. 14. Section 5.1: the greatest CPR of eqs. 26, 27 and 28 with Lambda_app = 25:
// 25 + 2 (omega - 1) up to 9 warps, then 4 omega + 6 (46 > 43 at 10; at 9 they are 42 and 41).
TEST(Fig14, mwp_cwp_corrected) {
  EXPECT_EQ(mwp_cwp_corrected(example::kernel(), 1).cycles_per_run, 25);
  EXPECT_EQ(mwp_cwp_corrected(example::kernel(), 8).cycles_per_run, 39);
  EXPECT_EQ(mwp_cwp_corrected(example::kernel(), 9).cycles_per_run, 42);
  EXPECT_EQ(mwp_cwp_corrected(example::kernel(), 10).cycles_per_run, 46);
}

// "Volkov's model provides an upper bound"; the corrected models approach the same roof from below.
TEST(Fig14, volkov_is_an_upper_bound_of_the_corrected_models) {
  for (int warps = 1; warps <= 64; ++warps) {
    const double bound = volkov_rate(warps) + 1e-12;
    EXPECT_LE(warps / mwp_cwp_corrected(example::kernel(), warps).cycles_per_run, bound) << warps;
    // C1 and C2 share a latency of 4 cycles here (eq. 30), where eq. 2 gives them 5.
    EXPECT_LE(wfg_corrected_rate(warps), std::min(warps / 24.0, 0.25) + 1e-12) << warps;
    EXPECT_LE(gpumech_rr_corrected(profile_of_example(), warps).warps_per_cycle, 0.25 + 1e-12) << warps;
  }
  EXPECT_GT(64 / mwp_cwp_corrected(example::kernel(), 64).cycles_per_run, 0.24);
  EXPECT_GT(wfg_corrected_rate(64), 0.24);
  EXPECT_GT(gpumech_rr_corrected(profile_of_example(), 64).warps_per_cycle, 0.24);
}

// At 7 warps: transitions 2 and 2, CYC_comp 4, NBC_avg 4 / 3. Exposed 6 / 7 - (6/7 4/3 - 2 x 4 / 14) = 2 / 7
// after C1 and C2, and 6 / 7 after C3 and C4, whose own latency, 8 / 7, takes all that could hide.
TEST(Fig14, wfg_corrected) { EXPECT_NEAR(wfg_corrected_rate(7), 1 / (4 + 2.0 / 7 + 6.0 / 7), 1e-12); }

} // namespace
} // namespace kerncast::analytical
