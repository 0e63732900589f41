// 001's listings and its worksheet, A2 to A6 of its study: when the instructions of a warp or two issue, and
// what holds each resource for how long.
#include <gtest/gtest.h>

#include "../../unit/engine/small_workload.h"
#include "engine/sm_trace.h"
#include "gpus_of_001.h"

namespace kerncast::engine::gpus_of_001 {
namespace {

using Times = std::vector<double>;

Times issue_times(const SmWorkload& workload, std::uint32_t warp = 0) {
  Times times;
  for (const UnitSlice& slice : trace_sm(workload, SIZE_MAX).units)
    if (slice.warp == warp)
      times.push_back(slice.begin);
  return times;
}

// A2, Tables 3.2 to 3.4 (Maxwell): 100 instructions of the CUDA cores, 5 of the SFU, 10 accesses to shared
// memory without and 10 with two-way conflicts, 5 coalesced loads and 5 of stride 2 at 10.4 bytes a cycle:
// per warp the SM's resources are held for 25, 5, 30 and 184.5 cycles (printed sums of rounded 12.3
// and 24.6), and the memory system bounds the kernel. The issue of 135 instructions takes 33.75 cycles of
// four schedulers; 001's 36.25 are with 15 reissues and 5 pairs.
TEST(worksheet_of_001, is_bound_by_184_cycles_of_memory) {
  const Gpu& maxwell = gpus[4];
  std::vector<toy::Op> kernel(100, op(alu, maxwell.add));
  const auto add = [&](int count, Unit unit, double interval) {
    kernel.insert(kernel.end(), static_cast<std::size_t>(count), op(unit, {interval, 24}));
  };
  add(5, sfu, 4);
  add(10, shared_memory, 1);
  add(10, shared_memory, 2);
  add(5, memory, 12.3);
  add(5, memory, 24.6);
  const double warps = 64 * 40;
  const SmResult result = simulate_sm(toy::workload(config(maxwell), kernel, 40, 1, 1, false, 64));
  EXPECT_DOUBLE_EQ(result.unit_busy_cycles[alu] / 4 / warps, 25);
  EXPECT_DOUBLE_EQ(result.unit_busy_cycles[sfu] / 4 / warps, 5);
  EXPECT_DOUBLE_EQ(result.unit_busy_cycles[shared_memory] / warps, 30);
  EXPECT_NEAR(result.unit_busy_cycles[memory] / warps, 184.5, 0.001); // intervals are multiples of 2^-15
  EXPECT_DOUBLE_EQ(result.issue_cycles / 4 / warps, 33.75);
  EXPECT_GE(result.cycles / warps, 184.49);
  EXPECT_NEAR(result.cycles / warps, 184.5, 0.02 * 184.5);
}

// A4, Listing 3.1 (Kepler): a load, a shared load, an addition, a reciprocal root and a store, each of which
// needs the one before.
TEST(listings_of_001, a_chain_issues_as_in_listing_3_1) {
  const Gpu& kepler = gpus[3];
  const std::vector<toy::Op> chain = {op(memory, kepler.load), op(shared_memory, kepler.shared, {0}),
                                      op(alu, kepler.add, {1}), op(sfu, kepler.rsq, {2}),
                                      op(alu, kepler.add, {3})};
  EXPECT_EQ(issue_times(toy::workload(config(kepler), chain, 1, 1, 1)), (Times{0, 301, 325, 334, 343}));
}

// A3, Listing 3.5 (Kepler): vector addition with dual issue, 3 cycles between two issues of a warp. MOV, S2R,
// S2R, IMAD, two ISCADD, two loads, ISCADD, FADD, ST, EXIT; with 201 cycles until the next CTA 544 in all.
TEST(listings_of_001, vector_addition_is_bound_by_544_cycles) {
  const Gpu& kepler = gpus[3];
  const Cost load{1, 301};
  const std::vector<toy::Op> ops = {
      op(alu, kepler.add),         op(sfu, kepler.add),        op(alu, kepler.add),
      op(alu, kepler.add, {2}),    op(alu, kepler.add, {3}),   op(sfu, kepler.add, {3}),
      op(memory, load, {4}),       op(memory, load, {5}),      op(alu, kepler.add, {3}),
      op(alu, kepler.add, {6, 7}), op(memory, {1, 1}, {8, 9}), op(alu, {1, 1})};
  SmConfig c = config(kepler);
  c.dual_issue = true;
  c.warp_issue_distance = 3;
  const Times times = issue_times(toy::workload(c, ops, 1, 1, 1));
  EXPECT_EQ(times, (Times{0, 0, 3, 12, 21, 21, 30, 33, 33, 334, 343, 343}));
  EXPECT_EQ(times.back() + 201, 544);
}

// A5, Listing 3.3 (Fermi): a branch, not taken after 28 cycles or taken after 32; one warp loads (512 cycles)
// and adds before the barrier (34 cycles), which so lets both go on at 580.
TEST(listings_of_001, a_barrier_holds_the_faster_warp_of_listing_3_3) {
  SmProgram program;
  program.barrier_uses = {{}};
  const auto chained = [&](SmOp op, std::uint16_t slot) {
    return small::with_slots(program, op, {slot}, {slot});
  };
  const SmOp not_taken = chained(small::compute(28), 0), taken = chained(small::compute(32), 0);
  const SmOp load = chained(small::compute(512, 1), 0), add = chained(small::compute(18), 0);
  const SmOp wait = small::barrier(0, 34), after_branch = small::with_slots(program, wait, {0});
  SmWorkload w = small::workload(program, {{not_taken, load, add, wait, add}, {taken, after_branch, add}});
  w.config.sub_cores = gpus[2].schedulers;
  w.config.issue_interval = gpus[2].issue_interval;
  w.config.units.assign(2, {configs::UnitScope::sub_core, 1});
  w.config.warp_issue_distance = 6;
  EXPECT_EQ(issue_times(w, 0), (Times{0, 28, 540, 546, 580}));
  EXPECT_EQ(issue_times(w, 1), (Times{0, 32, 580}));
}

// A6, Listing 3.2 (Fermi), one warp: independent additions issue 6 cycles apart, stores 34.
SmWorkload seven(Unit unit, const Cost& cost) {
  SmWorkload w = toy::workload(config(gpus[2]), std::vector<toy::Op>(7, op(unit, cost)), 1, 1, 1);
  w.config.warp_issue_distance = 6;
  return w;
}

TEST(listings_of_001, independent_instructions_keep_the_distances_of_listing_3_2) {
  EXPECT_EQ(issue_times(seven(alu, gpus[2].add)), (Times{0, 6, 12, 18, 24, 30, 36}));
  EXPECT_EQ(issue_times(seven(memory, {34, 34})), (Times{0, 34, 68, 102, 136, 170, 204}));
}

// A6, loads: measured are 0, 6, 12, 38, 44, 526 and 534. With five loads under way the sixth goes when the
// first has returned, at 513; that the fourth goes late and the sixth later still has no explanation.
TEST(listings_of_001, a_warp_has_five_loads_under_way) {
  SmProgram program;
  program.requests = {{513, 1, 0, 0, 32, {}}};
  SmWorkload w = small::workload(program, {std::vector<SmOp>(7, small::load(0))});
  w.config.warp_issue_distance = 6;
  w.config.loads_per_warp = 5;
  const Times times = issue_times(w), measured = {0, 6, 12, 38, 44, 526, 534};
  EXPECT_EQ(times, (Times{0, 6, 12, 18, 24, 513, 519}));
  for (std::size_t i = 0; i < measured.size(); ++i)
    EXPECT_NEAR(times[i], measured[i], 20);
}

} // namespace
} // namespace kerncast::engine::gpus_of_001
