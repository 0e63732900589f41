// Groups of asynchronous operations, loads that are limited in number, latencies that depend on the consumer.
#include <gtest/gtest.h>

#include "small_workload.h"

namespace kerncast::engine {
namespace {

using small::compute;
using small::load;
using small::with_slots;
using small::workload;

SmOp copy(std::uint16_t request) {
  SmOp op = load(request);
  op.async = AsyncKind::copies;
  return op;
}

SmOp commit() {
  SmOp op = compute(1);
  op.kind = SmOpKind::commit;
  op.async = AsyncKind::copies;
  return op;
}

SmOp wait_group(std::uint16_t keep) {
  SmOp op = commit();
  op.kind = SmOpKind::wait_group;
  op.keep = keep;
  return op;
}

SmProgram with_latencies(std::initializer_list<double> latencies) {
  SmProgram program;
  for (const double latency : latencies)
    program.requests.push_back({latency, 1, 0, 0, 4, {}});
  return program;
}

// Copies of 200 (issued at 0) and 500 (issued at 2) in two groups, commits at 1 and 3.
double cycles_of_two_groups(std::uint16_t keep, double after) {
  return simulate_sm(workload(with_latencies({200, 500}),
                              {{copy(0), commit(), copy(1), commit(), wait_group(keep), compute(after)}}))
      .cycles;
}

// wait_group 1: until 200; 1,000 cycles from 201 on. wait_group 0: until 502, from 503 on. wait_group 2: not.
TEST(groups, are_waited_for_but_the_newest) {
  EXPECT_DOUBLE_EQ(cycles_of_two_groups(1, 1000), 1201);
  EXPECT_DOUBLE_EQ(cycles_of_two_groups(0, 1000), 1503);
  EXPECT_DOUBLE_EQ(cycles_of_two_groups(2, 1000), 1005);
}

TEST(groups, waiting_is_for_memory) {
  const SmResult result =
      simulate_sm(workload(with_latencies({200}), {{copy(0), commit(), wait_group(0), compute(1)}}));
  EXPECT_DOUBLE_EQ(small::charged(result, WarpState::long_scoreboard), 200 - 2);
}

// A copy that is in no group yet: wait_group 0 passes at 1, wait_all waits until 200.
TEST(groups, open_ones_are_only_waited_for_by_wait_all) {
  const SmProgram program = with_latencies({200});
  EXPECT_DOUBLE_EQ(simulate_sm(workload(program, {{copy(0), wait_group(0), compute(300)}})).cycles, 302);
  EXPECT_DOUBLE_EQ(simulate_sm(workload(program, {{copy(0), wait_group(all_groups), compute(300)}})).cycles,
                   501);
}

// A fence waits for loads, not for copies: it issues at 1, and the next operation at 2.
TEST(groups, are_no_concern_of_a_fence) {
  SmOp fence = compute(1);
  fence.kind = SmOpKind::fence;
  EXPECT_DOUBLE_EQ(simulate_sm(workload(with_latencies({200}), {{copy(0), fence, compute(300)}})).cycles,
                   302);
}

// Matrix operations of a group follow each other at the unit's interval, though they accumulate in the same
// registers: 4 x 64, and the last one's latency of 128 from 192 on.
TEST(groups, of_matrix_operations_fill_their_unit) {
  SmProgram program;
  SmOp mma = with_slots(program, compute(128), {0}, {0});
  mma.issue_interval = 64;
  mma.async = AsyncKind::matrices;
  SmOp close = commit();
  close.unit = 1;
  close.async = AsyncKind::matrices;
  SmOp all = close;
  all.kind = SmOpKind::wait_group;
  const SmResult result = simulate_sm(workload(program, {{mma, mma, mma, mma, close, all}}));
  EXPECT_DOUBLE_EQ(result.cycles, 3 * 64 + 128 + 1);
}

// Four loads of 100, two under way at a time: at 0, 1, 100 and 101; the last returns at 201.
TEST(loads_of_a_warp, are_limited) {
  const std::vector<SmOp> four(4, load(0));
  SmWorkload w = workload(with_latencies({100}), {four});
  EXPECT_DOUBLE_EQ(simulate_sm(w).cycles, 103);
  w.config.loads_per_warp = 2;
  const SmResult limited = simulate_sm(w);
  EXPECT_DOUBLE_EQ(limited.cycles, 201);
  EXPECT_DOUBLE_EQ(small::charged(limited, WarpState::lg_throttle), 100 - 2);
}

// Latency 4, cross latency 9: a dependent on the same unit starts at 4, on another at 9.
TEST(cross_latency, is_that_of_dependents_on_other_units) {
  SmProgram program;
  SmOp producer = with_slots(program, compute(4), {}, {0});
  producer.cross_latency = 9;
  const SmOp same = with_slots(program, compute(1, 0), {0}), other = with_slots(program, compute(1, 1), {0});
  EXPECT_DOUBLE_EQ(simulate_sm(workload(program, {{producer, same}})).cycles, 5);
  EXPECT_DOUBLE_EQ(simulate_sm(workload(program, {{producer, other}})).cycles, 10);
}

} // namespace
} // namespace kerncast::engine
