// An SM whose misses return at a time that others tell.
#include <gtest/gtest.h>

#include "../../ideal_surroundings.h"
#include "small_workload.h"

namespace kerncast::engine {
namespace {

using small::barrier;
using small::compute;
using small::load;
using small::with_slots;
using small::workload;

// Misses of 128 bytes that return after 400 cycles.
SmProgram with_misses(std::size_t count) {
  SmProgram program;
  program.requests.assign(count, {400, 1, 128, 128, 4, {}});
  return program;
}

SmResult run(const SmWorkload& workload) { return IdealSurroundings(workload, 10).run(); }

// Loads issue at 0, 1 and 2. Two fit: the third leaves when the first returns, at 400.
TEST(stepped_sm, a_miss_waits_until_there_is_room_under_way) {
  SmWorkload w = workload(with_misses(3), {{load(0), load(1), load(2)}});
  EXPECT_DOUBLE_EQ(run(w).cycles, 402);
  w.config.in_flight_bytes = 256;
  EXPECT_DOUBLE_EQ(run(w).cycles, 800);
}

// A store is on its way at once, and nobody waits for it.
TEST(stepped_sm, a_store_needs_no_room) {
  SmOp store = load(1);
  store.returns_data = false;
  SmWorkload w = workload(with_misses(2), {{load(0), store}});
  w.config.in_flight_bytes = 128;
  SteppedSm sm(w, 0);
  sm.place(0, 0, 0, 0);
  sm.run_until(100);
  ASSERT_EQ(sm.misses().size(), 2U);
  EXPECT_EQ(sm.misses()[1].number, SmMiss::unawaited);
  EXPECT_EQ(sm.misses()[1].departs, begin_of(1));
  EXPECT_TRUE(sm.ended().empty()); // the load is under way
  sm.arrive(sm.misses()[0].number, begin_of(150));
  sm.run_until(200);
  ASSERT_EQ(sm.ended().size(), 1U);
  EXPECT_EQ(sm.ended()[0].end, begin_of(150));
}

// The result of the load, which would come at 400, is written by the second operation at 1 and ready at 5:
// the third goes then, and the warp ends with the load.
TEST(stepped_sm, what_was_overwritten_is_not_waited_for) {
  SmProgram program = with_misses(1);
  const SmOp loaded = with_slots(program, load(0), {}, {3});
  const SmOp written = with_slots(program, compute(4), {}, {3});
  const SmOp read = with_slots(program, compute(10), {3});
  const SmResult result = run(workload(program, {{loaded, written, read}}));
  EXPECT_DOUBLE_EQ(result.cycles, 400);
  EXPECT_DOUBLE_EQ(small::charged(result, WarpState::long_scoreboard), 0);
}

// Announced at 0, copied from 1 to 401; the wait, issued at 2, ends then, 20 cycles of latency later.
TEST(stepped_sm, a_copy_delivers_to_its_barrier_when_it_ends) {
  SmProgram program = with_misses(1);
  program.barrier_uses = {{.announced_bytes = 128, .waits = false}, {.arrivals = 0}};
  SmOp copy = load(0);
  copy.async = AsyncKind::transactions;
  copy.delivered_bytes = 128;
  const SmResult result = run(workload(program, {{barrier(0, 20), copy, barrier(1, 20), compute(5)}}));
  EXPECT_DOUBLE_EQ(result.cycles, 401 + 20 + 5);
  EXPECT_EQ(result.broken_barriers, 0U);
}

// The arrival at 1 counts when the copy of 0 has ended, at 400.
TEST(stepped_sm, an_arrival_after_copies_waits_for_them) {
  SmProgram program = with_misses(1);
  program.barrier_uses = {{.arrivals = 1, .expected = 1, .waits = false, .after_copies = true},
                          {.arrivals = 0}};
  SmOp copy = load(0);
  copy.async = AsyncKind::copies;
  const SmResult result = run(workload(program, {{copy, barrier(0, 20), barrier(1, 20), compute(5)}}));
  EXPECT_DOUBLE_EQ(result.cycles, 400 + 20 + 5);
  EXPECT_EQ(result.broken_barriers, 0U);
}

// The warp ends at 1, with the issue of its load. What that load brings at 150 is nothing to the CTA in its
// place, whose own load issues at 100 and comes at 300.
TEST(stepped_sm, data_of_a_cta_that_ended_with_its_issue_reach_no_other) {
  SmWorkload w = workload(with_misses(1), {{load(0)}, {load(0), compute(5)}});
  w.config.warp_end = configs::WarpEnd::last_issue;
  w.config.sub_cores = 2;
  SteppedSm sm(w, 0);
  sm.place(0, 0, 0, 0);
  sm.run_until(50);
  ASSERT_EQ(sm.ended().size(), 1U);
  EXPECT_EQ(sm.ended()[0].end, begin_of(3)); // the load of the second warp at 1, its other operation at 2
  sm.place(0, 0, begin_of(100), begin_of(100));
  sm.run_until(150);
  ASSERT_EQ(sm.misses().size(), 4U);
  EXPECT_EQ(sm.misses()[2].departs, begin_of(100));
  for (const std::size_t late : {0U, 1U})
    sm.arrive(sm.misses()[late].number, begin_of(150));
  sm.run_until(500);
  ASSERT_EQ(sm.ended().size(), 2U);
  EXPECT_EQ(sm.ended()[1].end, begin_of(103));
  EXPECT_DOUBLE_EQ(sm.result().cycles, 103);
}

} // namespace
} // namespace kerncast::engine
