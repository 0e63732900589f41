// Claims: sums follow the path's repeats, latency follows dependencies, memory asks what its request says.
#include <gtest/gtest.h>

#include "analytical/profile.h"
#include "analytical/two_subsystems.h"

namespace kerncast::analytical {
namespace {

using machine::MachineOp;
using machine::OpKind;
using tasklist::PathNode;

// Four sub-cores with an ALU each (half rate), one load/store unit per SM.
configs::Gpu small_gpu() {
  configs::Gpu gpu;
  gpu.sms = 10;
  gpu.clock_mhz = 1000;
  gpu.sub_cores_per_sm = 4;
  gpu.units = {{.name = "alu", .scope = configs::UnitScope::sub_core},
               {.name = "lsu", .scope = configs::UnitScope::sm}};
  gpu.l2.bytes_per_clock = 1000;
  gpu.dram.bandwidth_gbps = 500; // at 1 GHz: 500 bytes per clock
  return gpu;
}

// Block 0: slot 0 = add(slot 0). Block 1: slot 0 = load(slot 0). Block 2: store(slot 0).
machine::MachineProgram small_program() {
  machine::MachineProgram program;
  program.slots = {0};
  program.slot_count = 1;
  MachineOp add;
  add.latency = 6;
  add.issue_interval = 2;
  add.sources = add.destinations = {0, 1};
  MachineOp load;
  load.kind = OpKind::memory;
  load.task_kind = tasklist::TaskKind::load;
  load.unit = 1;
  load.issue_interval = 4;
  load.access = 0;
  load.sources = load.destinations = {0, 1};
  MachineOp store = load;
  store.task_kind = tasklist::TaskKind::store;
  store.destinations = {};
  program.ops = {add, load, store};
  program.blocks = {{0, 1}, {1, 1}, {2, 1}};
  return program;
}

KernelProfile profile_of(std::vector<PathNode> nodes, const configs::Gpu& gpu = small_gpu()) {
  tasklist::LaunchBehaviour behaviour;
  behaviour.shapes.resize(1);
  behaviour.access_pool = {0};
  for (tasklist::BlockId b = 0; b < 3; ++b)
    behaviour.visits.push_back({.block = b, .active_mask = UINT32_MAX, .accesses = {0, b == 0 ? 0U : 1U}});
  behaviour.paths = {{std::move(nodes)}};
  const machine::MachineProgram program = small_program();
  const auto request = [](const MachineOp& op, const tasklist::AddressShape&) {
    return memory_model::Request{.latency = 100,
                                 .wavefronts = 2,
                                 .l2_bytes = 128,
                                 .dram_bytes = 64,
                                 .writes = op.task_kind == tasklist::TaskKind::store};
  };
  return profile({program, behaviour, 0, gpu, request});
}

PathNode visit(std::uint32_t block) { return {.visit = block}; }
PathNode repeat(std::uint64_t count, std::uint32_t length) {
  return {.kind = PathNode::Kind::repeat, .length = length, .count = count};
}

// 3 adds: 3 x 2 / 4 ALU cycles of the SM. A load: 4 x 2 wavefronts; 128 x 10 SMs / 1000 cycles of L2 and
// 64 x 10 / 500 of DRAM.
TEST(Profile, sums_what_each_subsystem_does) {
  const KernelProfile p = profile_of({repeat(3, 1), visit(0), visit(1)});
  ASSERT_EQ(p.subsystems.size(), 4U);
  EXPECT_EQ(p.subsystems[0].name, "alu");
  EXPECT_EQ(p.subsystems[0].instructions, 3);
  EXPECT_EQ(p.subsystems[0].cycles_per_warp, 1.5);
  EXPECT_EQ(p.subsystems[1].cycles_per_warp, 8);
  EXPECT_EQ(p.subsystems[2].name, "l2_bandwidth");
  EXPECT_EQ(p.subsystems[2].cycles_per_warp, 1.28);
  EXPECT_EQ(p.subsystems[3].name, "dram_bandwidth");
  EXPECT_EQ(p.subsystems[3].cycles_per_warp, 1.28);
  EXPECT_EQ(p.instructions, 4);
  EXPECT_EQ(p.issue_limit, 4);
}

// A load and a store. L2 sends 128 x 10 bytes at 1000 a cycle, and takes as many and a quarter for the load's
// request at 400: 4 cycles.
TEST(Profile, counts_the_busier_way_of_l2) {
  configs::Gpu gpu = small_gpu();
  gpu.l2_requests = {.write_bytes_per_clock = 400, .fraction_of_reads = 0.25};
  const KernelProfile p = profile_of({visit(1), visit(2)}, gpu);
  ASSERT_EQ(p.subsystems.size(), 3U);
  EXPECT_EQ(p.subsystems[1].name, "l2_bandwidth");
  EXPECT_EQ(p.subsystems[1].cycles_per_warp, 4);
}

// Each add waits for the one before: 6 cycles a round, however many rounds.
TEST(Latency, of_a_chain_is_the_sum_of_its_latencies) {
  EXPECT_EQ(profile_of({repeat(3, 1), visit(0)}).critical_path_latency, 18);
  EXPECT_EQ(profile_of({repeat(1'000'000, 1), visit(0)}).critical_path_latency, 6e6);
  EXPECT_EQ(profile_of({repeat(1'000'000, 1), visit(0)}).instructions, 1e6);
}

// Inner loop of 5 adds and a load, 1000 times: 1000 x (5 x 6 + 100).
TEST(Latency, of_nested_repeats_is_the_product) {
  EXPECT_EQ(profile_of({repeat(1000, 3), repeat(5, 1), visit(0), visit(1)}).critical_path_latency, 130000);
}

// Five levels of 2, 2, 2, 20 and 20 rounds: 3200 adds of 6 cycles, only part of which are walked.
TEST(Latency, of_deep_nesting_is_the_product_too) {
  EXPECT_EQ(profile_of({repeat(2, 5), repeat(2, 4), repeat(2, 3), repeat(20, 2), repeat(20, 1), visit(0)})
                .critical_path_latency,
            3200 * 6);
}

// The add is there at 6, the store leaves its unit 4 x 2 cycles later; nobody waits for its 100 cycles.
TEST(Latency, does_not_count_the_way_of_a_store) {
  EXPECT_EQ(profile_of({visit(0), visit(2)}).critical_path_latency, 14);
}

// Two adds, a load, a store, all dependent: Lambda 6 each; 100 for the load, and for the store too, though
// nobody waits for it. Memory aside, 12 cycles; with it 12 + 100 and 4 x 2 until the store has left its unit.
TEST(Profile, divides_instructions_into_computations_and_accesses) {
  const KernelProfile p = profile_of({repeat(2, 1), visit(0), visit(1), visit(2)});
  EXPECT_EQ(p.compute_instructions, 2);
  EXPECT_EQ(p.memory_instructions, 2);
  EXPECT_EQ(p.compute_latency, 12);
  EXPECT_EQ(p.memory_latency, 200);
  EXPECT_EQ(p.compute_path_latency, 12);
  EXPECT_EQ(p.critical_path_latency, 120);
  EXPECT_EQ(p.subsystems[1].memory_cycles_per_warp, p.subsystems[1].cycles_per_warp);
  EXPECT_EQ(p.subsystems[0].memory_cycles_per_warp, 0);
}

// As above; two subsystems: 2 x 2 / 4 ALU cycles for 2 adds; of load/store unit (2 x 8 cycles), L2 and DRAM
// (2 x 1.28 each) the first is the slowest, 8 cycles an access. 200 cycles of latency take 108.
TEST(TwoSubsystems, have_the_means_of_a_profile) {
  const TwoSubsystemKernel k = two_subsystems(profile_of({repeat(2, 1), visit(0), visit(1), visit(2)}));
  EXPECT_EQ(k.compute_interval, 0.5);
  EXPECT_EQ(k.compute_latency, 6);
  EXPECT_EQ(k.memory_interval, 8);
  EXPECT_EQ(k.memory_latency, 100);
  EXPECT_EQ(k.ilp, 1);
  EXPECT_EQ(k.mlp, 200.0 / 108);
}

// A round is a load, whose 100 cycles the add waits for, and the add, after which the next load issues at
// once: (0 adds, 100), then 999 times (1 add, 100), then the last add, which no wait follows.
TEST(Intervals, end_where_a_result_of_memory_is_waited_for) {
  const std::vector<Interval> intervals = profile_of({repeat(1000, 2), visit(1), visit(0)}).intervals;
  double stalls = 0;
  double adds = 0;
  for (const Interval& i : intervals) {
    stalls += i.times * i.stall_cycles;
    adds += i.times * i.instructions;
  }
  EXPECT_EQ(adds, 1000);
  EXPECT_EQ(stalls, 1000 * 100);
  EXPECT_LE(intervals.size(), 3U);
}

// Computations that go on through all rounds of a loop are one interval: 1000 adds, then the load.
TEST(Intervals, go_on_through_rounds_without_waits) {
  const std::vector<Interval> intervals = profile_of({repeat(1000, 1), visit(0), visit(1)}).intervals;
  ASSERT_EQ(intervals.size(), 1U);
  EXPECT_EQ(intervals[0].instructions, 1000);
  EXPECT_EQ(intervals[0].stall_cycles, 100);
}

// 64 of the bytes of a request without sectors: no access is known to wait for DRAM, but its bytes count:
// 2 x 64 bytes x 10 SMs x 1000 MHz = 1280e9 bytes/s at one warp per cycle.
TEST(LoadedMemory, has_the_traffic_of_the_device) {
  const KernelProfile p = profile_of({visit(1), visit(1)});
  EXPECT_EQ(p.loaded_memory.gbps_per_warp_rate, 1280);
  EXPECT_EQ(p.loaded_memory.accesses, 0);
}

} // namespace
} // namespace kerncast::analytical
