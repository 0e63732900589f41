// The example kernel of paper 003 (Table 2): four computations and two memory operations,
// C1; C2; M1(C1,C2); C3(M1); C4(C3); M2(C4), with lambda_comp 1, Lambda_comp 4, lambda_mem 2, Lambda_mem 6.
#include <gtest/gtest.h>

#include <algorithm>

#include "analytical/profile.h"
#include "analytical/roofline.h"
#include "analytical/two_subsystems.h"
#include "analytical/volkov.h"

namespace kerncast::analytical {
namespace {

using machine::MachineOp;
using machine::OpKind;

// IPC_comp 1, BW 0.5, CI 4/2: both subsystems are full at once, min(1, 0.5 x 2).
TEST(ExampleKernel, is_at_the_ridge_of_the_roofline) {
  EXPECT_EQ(roofline_ipc(1, 0.5, 2), 1);
  EXPECT_EQ(roofline_ipc(1, 0.5, 1.5), 0.75);
  EXPECT_EQ(roofline_ipc(1, 0.5, 3), 1);
}

// One of C1 and C2 runs beside the other: 4 + 6 + 4 + 4 + 6 with Lambda and 1 with lambda.
TEST(ExampleKernel, takes_25_cycles_alone) {
  const double dependent[] = {4, 6, 4, 4, 6};
  const double independent[] = {1};
  EXPECT_EQ(application_latency(dependent, independent), 25);
}

MachineOp operation(std::uint16_t unit, tasklist::Range sources, tasklist::Range destination) {
  MachineOp op;
  op.unit = unit;
  op.kind = unit == 0 ? OpKind::compute : OpKind::memory;
  op.task_kind = unit == 0 ? tasklist::TaskKind::compute : tasklist::TaskKind::load;
  op.space = tasklist::Space::global;
  op.latency = unit == 0 ? 4 : 0;
  op.issue_interval = unit == 0 ? 1 : 2;
  op.sources = sources;
  op.destinations = destination;
  return op;
}

// Slot i holds the result of operation i.
machine::MachineProgram example_program() {
  machine::MachineProgram program;
  program.slots = {0, 1, 2, 3, 4, 5};
  program.slot_count = 6;
  program.ops = {operation(0, {0, 0}, {0, 1}), operation(0, {0, 0}, {1, 1}), operation(1, {0, 2}, {2, 1}),
                 operation(0, {2, 1}, {3, 1}), operation(0, {3, 1}, {4, 1}), operation(1, {4, 1}, {5, 1})};
  program.ops[2].access = 0;
  program.ops[5].access = 1;
  program.blocks = {{0, 6}};
  return program;
}

configs::Gpu example_gpu() {
  configs::Gpu gpu;
  gpu.sms = 1;
  gpu.clock_mhz = 1000;
  gpu.sub_cores_per_sm = 1;
  gpu.issue_width = 2;
  gpu.units = {{.name = "compute", .scope = configs::UnitScope::sm, .latency = 4, .issue_interval = 1},
               {.name = "memory", .scope = configs::UnitScope::sm, .latency = 6, .issue_interval = 2}};
  return gpu;
}

tasklist::LaunchBehaviour straight_behaviour() {
  tasklist::LaunchBehaviour behaviour;
  behaviour.shapes.resize(1);
  behaviour.access_pool = {0, 0};
  behaviour.visits = {{.block = 0, .active_mask = UINT32_MAX, .accesses = {0, 2}}};
  behaviour.paths = {{{tasklist::PathNode{.visit = 0}}}};
  behaviour.classes = {{.warp_paths = {0}, .cta_count = 1}};
  return behaviour;
}

KernelProfile example_profile() {
  const machine::MachineProgram program = example_program();
  const tasklist::LaunchBehaviour behaviour = straight_behaviour();
  const configs::Gpu gpu = example_gpu();
  const auto request = [](const MachineOp&, const tasklist::AddressShape&) {
    return memory_model::Request{.latency = 6};
  };
  return profile({program, behaviour, 0, gpu, request});
}

// C1 issues at 0, C2 at 1 (lambda_comp), M1 at 1 + 4, C3 at 5 + 6, C4 at 15, M2 at 19, whose result is there
// at 25. Compute is busy for 4 x 1 cycles, memory for 2 x 2.
TEST(ExampleKernel, has_this_profile) {
  const KernelProfile p = example_profile();
  EXPECT_EQ(p.critical_path_latency, 25);
  EXPECT_EQ(p.instructions, 6);
  EXPECT_EQ(p.issue_limit, 2);
  ASSERT_EQ(p.subsystems.size(), 2U);
  EXPECT_EQ(p.subsystems[0].instructions, 4);
  EXPECT_EQ(p.subsystems[0].cycles_per_warp, 4);
  EXPECT_EQ(p.subsystems[1].instructions, 2);
  EXPECT_EQ(p.subsystems[1].cycles_per_warp, 4);
}

// The two-subsystem models see Table 2: without memory 1 + 4 + 4 + 4 = 13 of 4 x 4 cycles, 12 for memory.
TEST(ExampleKernel, has_the_parameters_of_table_2) {
  const TwoSubsystemKernel k = two_subsystems(example_profile());
  EXPECT_EQ(k.compute_instructions, 4);
  EXPECT_EQ(k.memory_instructions, 2);
  EXPECT_EQ(k.compute_interval, 1);
  EXPECT_EQ(k.compute_latency, 4);
  EXPECT_EQ(k.memory_interval, 2);
  EXPECT_EQ(k.memory_latency, 6);
  EXPECT_EQ(k.memory_issue_interval, 1);
  EXPECT_EQ(k.ilp, 16.0 / 13);
  EXPECT_EQ(k.mlp, 1);
}

// Two computations before each of the two waits, as 003 reads it for GPUMech.
TEST(ExampleKernel, has_two_intervals) {
  const KernelProfile p = example_profile();
  ASSERT_EQ(p.intervals.size(), 1U);
  EXPECT_EQ(p.intervals[0].instructions, 2);
  EXPECT_EQ(p.intervals[0].stall_cycles, 6);
  EXPECT_EQ(p.intervals[0].times, 2);
}

TEST(ExampleKernel, has_a_roof_of_a_quarter_warp_per_cycle) {
  EXPECT_EQ(roofline(example_profile()).warps_per_cycle, 0.25);
}

// Eq. 3: 1/25 for one warp, the peak of 1/4 from seven warps on (7/25 > 1/4).
TEST(ExampleKernel, follows_volkovs_occupancy_roofline) {
  const KernelProfile p = example_profile();
  for (int warps = 1; warps <= 12; ++warps) {
    const double expected = std::min(warps / 25.0, 0.25);
    EXPECT_EQ(volkov(p, warps).warps_per_cycle, expected) << warps;
    EXPECT_EQ(volkov_warps_per_cycle(0.25, warps, 25), expected) << warps;
  }
  EXPECT_EQ(volkov(p, 6).bound, "latency");
  EXPECT_EQ(volkov(p, 7).bound, "compute");
}

} // namespace
} // namespace kerncast::analytical
