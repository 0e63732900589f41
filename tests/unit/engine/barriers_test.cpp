// Named and partial barriers, arrival without waiting, mbarriers with asynchronous copies, and barriers that
// would never complete. One scheduler, which issues one instruction a cycle and prefers the oldest warp.
#include <gtest/gtest.h>

#include "small_workload.h"

namespace kerncast::engine {
namespace {

using small::barrier;
using small::compute;
using small::load;
using small::workload;

SmProgram with_uses(std::vector<BarrierUse> uses) {
  SmProgram program;
  program.barrier_uses = std::move(uses);
  return program;
}

// Warps 0 and 1 meet at barrier 0 for two warps, warps 2 and 3 at barrier 1. Arrivals at 0, 1 | 2, 3;
// released at 1 + 10 and 3 + 10; each pair then issues a 50-cycle operation: 11, 12 | 13, 14; last end 64.
TEST(named_barriers, hold_only_their_own_warps) {
  const SmProgram program = with_uses({{.barrier = 0, .expected = 2}, {.barrier = 1, .expected = 2}});
  const std::vector<SmOp> first = {barrier(0, 10), compute(50)}, second = {barrier(1, 10), compute(50)};
  EXPECT_DOUBLE_EQ(simulate_sm(workload(program, {first, first, second, second})).cycles, 64);
}

// All four at one barrier: released at 3 + 10, issues at 13 to 16, last end 66.
TEST(named_barriers, without_a_count_hold_all_warps_of_the_cta) {
  const std::vector<SmOp> ops = {barrier(0, 10), compute(50)};
  EXPECT_DOUBLE_EQ(simulate_sm(workload(with_uses({{}}), {ops, ops, ops, ops})).cycles, 66);
}

// The producer computes (0, done at 40), arrives at 40 and ends at 41: it does not wait. The consumer waits
// from 1 on, is released at 40 + 10 and computes until 55.
TEST(bar_arrive, lets_the_producer_go_on) {
  SmProgram program = with_uses({{.expected = 2, .waits = false}, {.expected = 2}});
  const SmOp slow = small::with_slots(program, compute(40), {}, {0});
  const SmOp arrive = small::with_slots(program, barrier(0, 10), {0});
  const SmResult result = simulate_sm(workload(program, {{slow, arrive}, {barrier(1, 10), compute(5)}}));
  EXPECT_DOUBLE_EQ(result.cycles, 55);
  EXPECT_DOUBLE_EQ(small::charged(result, WarpState::barrier), 50 - 2); // from the end of its issue
  EXPECT_EQ(result.broken_barriers, 0U);
}

// One lane announces 1,024 bytes at 0 and a copy that takes 300 issues at 1: delivered at 301. The waiting
// warp (from 2 on) goes on 20 later and computes until 326.
TEST(mbarrier, is_waited_for_until_the_copies_have_delivered) {
  SmProgram program =
      with_uses({{.expected = 1, .announced_bytes = 1024, .waits = false}, {.arrivals = 0, .expected = 1}});
  program.requests = {{300, 1, 0, 0, 32, {}}};
  SmOp copy = load(0);
  copy.async = AsyncKind::transactions;
  copy.delivered_bytes = 1024;
  const SmResult result =
      simulate_sm(workload(program, {{barrier(0, 20), copy, barrier(1, 20), compute(5)}}));
  EXPECT_DOUBLE_EQ(result.cycles, 326);
  EXPECT_DOUBLE_EQ(small::charged(result, WarpState::barrier), 321 - 3);
}

// Half of the bytes: the phase never ends, so that the only warp is let go at 3, and that is counted.
TEST(mbarrier, that_never_completes_is_broken_and_counted) {
  SmProgram program =
      with_uses({{.expected = 1, .announced_bytes = 1024, .waits = false}, {.arrivals = 0, .expected = 1}});
  program.requests = {{300, 1, 0, 0, 32, {}}};
  SmOp copy = load(0);
  copy.async = AsyncKind::transactions;
  copy.delivered_bytes = 512;
  const SmResult result = simulate_sm(workload(program, {{barrier(0, 1), copy, barrier(1, 1)}}));
  EXPECT_EQ(result.broken_barriers, 1U);
  EXPECT_DOUBLE_EQ(result.cycles, 301); // the copy
}

// The n-th wait is for the n-th phase: the producer arrives at 0 and, after a chain of 100, at 100. The
// consumer passes its first wait at 1 + 10 and its second at 100 + 10.
TEST(mbarrier, has_phases) {
  SmProgram program = with_uses({{.expected = 1, .waits = false}, {.arrivals = 0, .expected = 1}});
  const SmOp slow = small::with_slots(program, compute(100), {}, {0});
  const SmOp again = small::with_slots(program, barrier(0, 10), {0});
  const SmResult result = simulate_sm(
      workload(program, {{barrier(0, 10), slow, again}, {barrier(1, 10), barrier(1, 10), compute(5)}}));
  // The slow operation issues at 1 and is done at 101; released at 111.
  EXPECT_DOUBLE_EQ(result.cycles, 101 + 10 + 5);
}

// Two warps wait for each other at different barriers: the first one's is given up, at 2.
TEST(barriers, of_warps_that_wait_for_each_other_are_broken) {
  const SmProgram program = with_uses({{.barrier = 0, .expected = 2}, {.barrier = 1, .expected = 2}});
  const SmResult result = simulate_sm(workload(program, {{barrier(0, 1)}, {barrier(1, 1)}}));
  EXPECT_EQ(result.broken_barriers, 2U);
}

} // namespace
} // namespace kerncast::engine
