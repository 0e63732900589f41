// Table 7 of paper 003: which aspects of a kernel each model takes into account. Each aspect is switched on
// in a kernel; a model takes it into account if its curve over 1 to 64 warps changes.
//
// Not here: work groups (the table says Y for WFG; 003 itself sets WLP_effect = omega, and so do we) and
// divergent warps (every model is asked for every path that warps take). One cell differs from print: the
// roofline has Y for ILP, but no latency at all that ILP could shorten.
#include <gtest/gtest.h>

#include <string>

#include "analytical/models.h"
#include "analytical/two_subsystems.h"

namespace kerncast::analytical {
namespace {

// Five dependent computations, then a load, four times; latency-bound at few warps, memory-bound at many.
TwoSubsystemKernel plain() {
  TwoSubsystemKernel k;
  k.compute_instructions = 20;
  k.memory_instructions = 4;
  k.compute_interval = 1;
  k.compute_latency = 6;
  k.memory_interval = 8;
  k.memory_latency = 200;
  k.memory_issue_interval = 1;
  return k;
}

KernelProfile with(void (*aspect)(TwoSubsystemKernel&)) {
  TwoSubsystemKernel k = plain();
  aspect(k);
  return profile_of(k);
}

// All computations in one subsystem, so that they bound; then half of them in another one.
KernelProfile computing() {
  return with([](TwoSubsystemKernel& k) { k.compute_instructions = 80; });
}
KernelProfile with_a_third_subsystem() {
  KernelProfile p = computing();
  p.subsystems.push_back({"sfu", 40, 40, 0});
  p.subsystems[0] = {"compute", 40, 40, 0};
  return p;
}

struct Aspect {
  const char* name;
  KernelProfile without, with;
};

const ClosedForm& model(std::string_view name) {
  for (const ClosedForm& m : closed_forms())
    if (m.name == name)
      return m;
  throw std::logic_error("no such model");
}

bool reacts(std::string_view name, const Aspect& aspect) {
  for (int warps = 1; warps <= 64; ++warps)
    if (model(name).rate(aspect.without, warps).warps_per_cycle !=
        model(name).rate(aspect.with, warps).warps_per_cycle)
      return true;
  return false;
}

const KernelProfile base = profile_of(plain());
const Aspect ilp = {"ILP", base, with([](TwoSubsystemKernel& k) { k.ilp = 2; })};
const Aspect latency_of_compute = {"Lambda_comp", base,
                                   with([](TwoSubsystemKernel& k) { k.compute_latency = 12; })};
const Aspect latency_of_memory = {"Lambda_mem", base,
                                  with([](TwoSubsystemKernel& k) { k.memory_latency = 400; })};
const Aspect barriers = {"barriers", base, with([](TwoSubsystemKernel& k) { k.barriers = 4; })};
const Aspect subsystems = {"more than 2 subsystems", computing(), with_a_third_subsystem()};
const Aspect issue_limit = {"issue limit", base, with([](TwoSubsystemKernel& k) { k.issue_limit = 0.1; })};

struct Row {
  const Aspect& aspect;
  bool roofline, volkov, mwp_cwp, wfg, gpumech;
};

TEST(Table7, says_which_models_react) {
  const Row table[] = {{ilp, false, true, false, true, false},
                       {latency_of_compute, false, true, false, true, false},
                       {latency_of_memory, false, true, true, true, true},
                       {barriers, false, false, true, true, false},
                       {subsystems, true, true, false, false, false},
                       {issue_limit, false, true, true, false, false}};
  for (const Row& row : table) {
    EXPECT_EQ(reacts("roofline", row.aspect), row.roofline) << row.aspect.name;
    EXPECT_EQ(reacts("volkov", row.aspect), row.volkov) << row.aspect.name;
    EXPECT_EQ(reacts("mwp-cwp", row.aspect), row.mwp_cwp) << row.aspect.name;
    EXPECT_EQ(reacts("wfg", row.aspect), row.wfg) << row.aspect.name;
    EXPECT_EQ(reacts("gpumech-rr", row.aspect), row.gpumech) << row.aspect.name;
    EXPECT_EQ(reacts("gpumech-gto", row.aspect), row.gpumech) << row.aspect.name;
  }
}

// The scheduler: GPUMech's two policies differ.
TEST(Table7, gpumech_alone_knows_schedulers) {
  EXPECT_NE(model("gpumech-rr").rate(base, 48).warps_per_cycle,
            model("gpumech-gto").rate(base, 48).warps_per_cycle);
}

// Section 4.2: GPUPerf gives kinds of computations subsystems of their own.
TEST(Table7, gpuperf_reacts_to_a_third_subsystem) {
  EXPECT_TRUE(reacts("gpuperf", subsystems));
  EXPECT_FALSE(reacts("sim2012", subsystems));
}

// Section 5.1: what the corrections add.
TEST(Table7, corrected_mwp_cwp_reacts_to_ilp_and_latency_of_computations) {
  EXPECT_TRUE(reacts("mwp-cwp-corrected", ilp));
  EXPECT_TRUE(reacts("mwp-cwp-corrected", latency_of_compute));
}

} // namespace
} // namespace kerncast::analytical
