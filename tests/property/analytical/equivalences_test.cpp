// What paper 003 proves of its models, and what all of them owe, over random kernels.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "analytical/gpumech.h"
#include "analytical/models.h"
#include "analytical/transit.h"
#include "analytical/volkov.h"
#include "analytical/x_model.h"

namespace kerncast::analytical {
namespace {

double quarters(int least, int most) { return *rc::gen::inRange(4 * least, 4 * most) / 4.0; }

TwoSubsystemKernel any_kernel() {
  TwoSubsystemKernel k;
  k.compute_instructions = *rc::gen::inRange(1, 200);
  k.memory_instructions = *rc::gen::inRange(1, 40);
  k.compute_interval = quarters(1, 5) / 4;
  k.compute_latency = k.compute_interval + quarters(0, 30);
  k.memory_interval = quarters(1, 40);
  k.memory_latency = k.memory_interval + quarters(0, 800);
  k.memory_issue_interval = k.compute_interval;
  return k;
}

int any_warps() { return *rc::gen::inRange(1, 65); }

// Throughput of a kernel without the latency of computations: eq. 3 with Lambda*_app.
double volkov_without_compute_latency(const std::vector<Interval>& intervals, double warps) {
  double instructions = 0;
  double alone = 0;
  for (const Interval& i : intervals) {
    instructions += i.times * i.instructions;
    alone += i.times * (i.instructions + i.stall_cycles);
  }
  return volkov_warps_per_cycle(1 / instructions, warps, alone);
}

void expect_equal(double a, double b) { RC_ASSERT(std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), 1e-12)); }

// Theorem 1: without ILP both give the same occupancy roofline.
RC_GTEST_PROP(Volkov, equals_transit_without_ilp, ()) {
  const KernelProfile p = profile_of(any_kernel());
  const int warps = any_warps();
  expect_equal(volkov(p, warps).warps_per_cycle, transit(p, warps).warps_per_cycle);
}

// The X-model carries ILP and MLP, and so does Lambda_app.
RC_GTEST_PROP(Volkov, equals_the_x_model_with_ilp, ()) {
  TwoSubsystemKernel k = any_kernel();
  k.ilp = std::min(quarters(1, 4), k.compute_instructions);
  k.mlp = std::min(quarters(1, 4), k.memory_instructions);
  const KernelProfile p = profile_of(k);
  const int warps = any_warps();
  expect_equal(volkov(p, warps).warps_per_cycle, x_model(p, warps).warps_per_cycle);
}

// Section 2.5.2: with equal intervals whose issue probability in a stall is one, GTO is Volkov's model
// without the latency of computations.
RC_GTEST_PROP(GpuMechGto, equals_volkov_over_equal_intervals, ()) {
  const double instructions = *rc::gen::inRange(1, 30);
  // min(issue_prob stall_cycles, 1) = 1 needs instructions x stall >= instructions + stall.
  const double stall = std::ceil(instructions / std::max(instructions - 1, 0.5)) + *rc::gen::inRange(1, 400);
  RC_PRE(instructions * stall >= instructions + stall);
  const std::vector<Interval> intervals = {
      {instructions, stall, static_cast<double>(*rc::gen::inRange(1, 50))}};
  const double warps = any_warps();
  expect_equal(gpumech_gto_rate(intervals, warps), volkov_without_compute_latency(intervals, warps));
  expect_equal(gpumech_gto_corrected_rate(intervals, warps),
               volkov_without_compute_latency(intervals, warps));
}

std::vector<Interval> any_intervals() {
  std::vector<Interval> intervals;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i)
    intervals.push_back({static_cast<double>(*rc::gen::inRange(1, 40)),
                         static_cast<double>(*rc::gen::inRange(0, 500)),
                         static_cast<double>(*rc::gen::inRange(1, 20))});
  return intervals;
}

// With unequal ones what is left over in a short stall cannot fill a long one: never above.
RC_GTEST_PROP(GpuMechGto, is_never_above_volkov_when_issue_is_certain, ()) {
  const std::vector<Interval> intervals = any_intervals();
  const double warps = any_warps();
  RC_ASSERT(gpumech_gto_corrected_rate(intervals, warps) <=
            volkov_without_compute_latency(intervals, warps) * (1 + 1e-9));
}

// Section 2.5.1: corrected, no more than one instruction issues per slot.
RC_GTEST_PROP(GpuMechRr, corrected_respects_the_issue_limit, ()) {
  const std::vector<Interval> intervals = any_intervals();
  double instructions = 0;
  for (const Interval& i : intervals)
    instructions += i.times * i.instructions;
  RC_ASSERT(gpumech_rr_corrected_rate(intervals, any_warps()) * instructions <= 1 + 1e-9);
}

// GPUMech and the CUDA guide know no bandwidth. MWP-CWP and Hong and Kim take a kernel for memory-bound when
// CWP > MWP, also where latency is as short as the interval (MWP = 1) and computations bound.
bool may_pass_the_roof(std::string_view name) {
  return name.starts_with("gpumech") || name == "cuda-guide" || name == "hong-kim" || name == "mwp-cwp";
}

// A rate that is a number and not negative; those that know both throughputs keep them.
RC_GTEST_PROP(ClosedForms, answer_every_kernel, ()) {
  TwoSubsystemKernel k = any_kernel();
  k.barriers = *rc::gen::inRange(0, 3);
  k.memory_instructions = *rc::gen::inRange(0, 3) == 0 ? 0 : k.memory_instructions;
  k.memory_latency = *rc::gen::inRange(0, 3) == 0 ? 0 : k.memory_latency; // nobody waits
  k.compute_latency = *rc::gen::inRange(0, 3) == 0 ? 0 : k.compute_latency;
  const KernelProfile p = profile_of(k);
  const double roof =
      1 / std::max(k.compute_instructions * k.compute_interval, k.memory_instructions * k.memory_interval);
  const int warps = any_warps();
  for (const ClosedForm& model : closed_forms()) {
    const double rate = model.rate(p, warps).warps_per_cycle;
    RC_ASSERT(std::isfinite(rate));
    RC_ASSERT(rate > 0);
    if (!may_pass_the_roof(model.name))
      RC_ASSERT(rate <= roof * (1 + 1e-9));
  }
}

} // namespace
} // namespace kerncast::analytical
