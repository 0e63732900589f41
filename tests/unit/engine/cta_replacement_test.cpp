// CTAs: launch latency, replacement one by one, barriers, and what a warp's cycles are charged to.
#include <gtest/gtest.h>

#include "engine/simulate_sm.h"

namespace kerncast::engine::cta_replacement {
namespace {

SmOp compute(double latency, std::uint16_t unit = 0) {
  SmOp op;
  op.latency = latency;
  op.unit = unit;
  op.source_count = op.destination_count = 1;
  return op;
}

SmOp barrier(double latency) {
  SmOp op;
  op.kind = SmOpKind::barrier;
  op.latency = latency;
  return op;
}

// CTAs of `warps` warps that run `ops` once, `resident` at a time, on one sub-core with one unit.
SmWorkload workload(std::vector<SmOp> ops, std::uint32_t warps, std::uint64_t ctas, std::uint32_t resident,
                    double launch_latency) {
  SmProgram program;
  program.ops = std::move(ops);
  program.slots = {0, 0};
  program.slot_count = 1;
  program.barrier_uses = {{}};
  program.steps = {{.kind = Step::Kind::run, .end_op = static_cast<std::uint32_t>(program.ops.size())},
                   {.kind = Step::Kind::finish}};
  program.path_start = {0};
  SmWorkload w;
  w.config.units = {{configs::UnitScope::sm, 1}};
  w.config.cta_launch_latency = launch_latency;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  w.kinds = {{std::vector<std::uint32_t>(warps, 0)}};
  w.ctas = {{0, ctas}};
  w.resident_ctas = resident;
  return w;
}

// 10 CTAs one after the other, each 200 + 5 x 4 cycles.
TEST(cta_replacement, every_cta_pays_the_launch_latency) {
  EXPECT_DOUBLE_EQ(simulate_sm(workload(std::vector<SmOp>(5, compute(4)), 1, 10, 1, 200)).cycles, 10 * 220);
}

// Two at a time: five rounds; the second CTA issues one cycle behind the first.
TEST(cta_replacement, resident_ctas_overlap) {
  EXPECT_DOUBLE_EQ(simulate_sm(workload(std::vector<SmOp>(5, compute(4)), 1, 10, 2, 200)).cycles,
                   5 * 220 + 1);
}

// Ten CTAs, of which two fit for 220 cycles each: one starts every 150 cycles, the first 7 cycles late.
TEST(cta_replacement, ctas_start_one_after_the_other) {
  SmWorkload w = workload(std::vector<SmOp>(5, compute(4)), 1, 10, 2, 200);
  w.config.first_cta_launch = 7;
  w.config.cta_launch_interval = 150;
  EXPECT_DOUBLE_EQ(simulate_sm(w).cycles, 7 + 9 * 150 + 220);
  // One every 100 cycles is more than two places allow.
  w.config.cta_launch_interval = 100;
  EXPECT_DOUBLE_EQ(simulate_sm(w).cycles, 7 + 4 * 220 + 100 + 220);
}

// Four warps arrive at 0, 1, 2, 3; released 20 after the last, at 23; then four issues, the last at 26, done
// at 30.
TEST(barrier, releases_all_warps_after_the_last_arrival) {
  EXPECT_DOUBLE_EQ(simulate_sm(workload({barrier(20), compute(4)}, 4, 1, 1, 0)).cycles, 30);
}

// The warps wait 22, 21, 20 and 19 cycles after their own issue: 82 charged to the barrier.
TEST(barrier, waiting_is_charged_to_it) {
  const SmResult result = simulate_sm(workload({barrier(20), compute(4)}, 4, 1, 1, 0));
  EXPECT_DOUBLE_EQ(result.warp_state_cycles[static_cast<std::size_t>(WarpState::barrier)], 22 + 21 + 20 + 19);
}

// Five dependent instructions of latency 4: issued 5 cycles, waiting for results the other 15.
TEST(warp_states, a_dependent_chain_waits_for_its_latency) {
  const SmResult result = simulate_sm(workload(std::vector<SmOp>(5, compute(4)), 1, 1, 1, 0));
  EXPECT_DOUBLE_EQ(result.warp_state_cycles[static_cast<std::size_t>(WarpState::issued)], 5);
  EXPECT_DOUBLE_EQ(result.warp_state_cycles[static_cast<std::size_t>(WarpState::wait)], 15);
}

} // namespace
} // namespace kerncast::engine::cta_replacement
