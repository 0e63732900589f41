// When kernels let a dependent one start, and when they come to their wait for the kernel before.
#include "small_workload.h"

#include <gtest/gtest.h>

namespace kerncast::engine {
namespace {

using small::compute;
using small::workload;

SmOp op_of(SmOpKind kind) {
  SmOp op = compute(1);
  op.kind = kind;
  return op;
}
const SmOp launch_dependents = op_of(SmOpKind::launch_dependents);
const SmOp wait_for_primary = op_of(SmOpKind::wait_for_primary);

// Arithmetic in a chain: each takes 10 cycles.
std::vector<SmOp> chain(SmProgram& program, std::uint32_t length) {
  return std::vector<SmOp>(length, small::with_slots(program, compute(10), {0}, {0}));
}

template <class... Parts> std::vector<SmOp> joined(Parts... parts) {
  std::vector<SmOp> all;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_same_v<std::decay_t<decltype(part)>, SmOp>)
      all.push_back(part);
    else
      all.insert(all.end(), part.begin(), part.end());
  };
  (add(parts), ...);
  return all;
}

TEST(dependent_launch, kernels_without_it_trigger_with_their_end_and_never_wait) {
  SmProgram program;
  const std::vector<SmOp> three = chain(program, 3); // before `program` is read
  const SmResult result = simulate_sm(workload(program, {three}));
  EXPECT_EQ(result.trigger_cycles, result.cycles);
  EXPECT_EQ(result.prologue_cycles, result.cycles);
}

// So many CTAs, one at a time, of one warp: two of the chain, the operation, and two again.
SmResult with(const SmOp& between, std::uint32_t ctas) {
  SmProgram program;
  const std::vector<SmOp> two = chain(program, 2);
  SmWorkload w = workload(program, {joined(two, between, two)});
  w.ctas = {{0, ctas}};
  return simulate_sm(w);
}

// Operations issue at 0, 10, 11 and, when the one at 10 has its result, 20 and 30; that one ends at 40.
TEST(dependent_launch, instructions_are_noted_where_they_issue) {
  const SmResult trigger = with(launch_dependents, 1);
  EXPECT_EQ(trigger.cycles, 40);
  EXPECT_EQ(trigger.trigger_cycles, 11);
  EXPECT_EQ(trigger.prologue_cycles, 40);
  const SmResult wait = with(wait_for_primary, 1);
  EXPECT_EQ(wait.cycles, 40);
  EXPECT_EQ(wait.trigger_cycles, 40);
  EXPECT_EQ(wait.prologue_cycles, 11);
}

// The first warp of the CTA to trigger, and the last one to come to its wait; only their first times count.
TEST(dependent_launch, a_cta_triggers_with_any_warp_and_waits_with_all) {
  SmProgram program;
  const std::vector<SmOp> one = chain(program, 1);
  const std::vector<SmOp> four = chain(program, 4);
  const auto once = [&](const std::vector<SmOp>& before) {
    return joined(before, before, launch_dependents, wait_for_primary, four, launch_dependents,
                  wait_for_primary);
  };
  const SmResult result = simulate_sm(workload(program, {once(one), once(four), four}));
  // Of the first warp at 11, with other warps in between; of the second one at 71 and one later.
  EXPECT_GE(result.trigger_cycles, 11);
  EXPECT_LE(result.trigger_cycles, 13);
  EXPECT_GE(result.prologue_cycles, 72);
  EXPECT_LE(result.prologue_cycles, 75);
}

// Three CTAs of 40 cycles, one at a time: the last one triggers at 80 + 11. The first one is the first wave.
TEST(dependent_launch, all_ctas_have_to_trigger_and_the_first_wave_to_wait) {
  EXPECT_EQ(with(launch_dependents, 3).trigger_cycles, 91);
  const SmResult wait = with(wait_for_primary, 3);
  EXPECT_EQ(wait.cycles, 120);
  EXPECT_EQ(wait.prologue_cycles, 11);
}

// CTAs of two kinds, both resident: one triggers at once, the other ends at 40 without.
TEST(dependent_launch, a_cta_that_ends_has_triggered) {
  SmProgram program;
  const std::vector<SmOp> eight = chain(program, 8);
  const std::vector<SmOp> four = chain(program, 4);
  SmWorkload w = workload(program, {joined(launch_dependents, eight), four});
  w.kinds = {{{0}}, {{1}}};
  w.ctas = {{0, 1}, {1, 1}};
  w.resident_ctas = 2;
  const SmResult result = simulate_sm(w);
  EXPECT_GT(result.cycles, 80);
  EXPECT_NEAR(result.trigger_cycles, 40, 2);
}

// 20,000 CTAs, of which a part is stepped through: the last one triggers 29 cycles before its end, and the
// first wave is the first wave.
TEST(dependent_launch, continued_runs_know_the_last_cta) {
  SmProgram program;
  const std::vector<SmOp> two = chain(program, 2);
  const std::vector<SmOp> twenty = chain(program, 20);
  SmWorkload w = workload(program, {joined(two, wait_for_primary, launch_dependents, two, twenty)});
  w.ctas = {{0, 20'000}};
  const SmResult exact = simulate_sm(w);
  w.steady_error = 0.0025;
  const SmResult continued = simulate_sm(w);
  EXPECT_GT(continued.continued.all_ctas, continued.continued.ctas);
  EXPECT_EQ(continued.cycles, exact.cycles);
  EXPECT_EQ(continued.trigger_cycles, exact.trigger_cycles);
  EXPECT_EQ(continued.prologue_cycles, 11);
}

// A loop of 4,000,000 iterations of 10 cycles before both, of which a part is stepped through.
TEST(dependent_launch, continued_loops_end_before_what_comes_behind_them) {
  SmProgram program;
  SmWorkload w = workload(program, {});
  program.ops = joined(chain(program, 1), wait_for_primary, launch_dependents, chain(program, 2));
  program.slot_count = 8;
  program.loop_depth = 1;
  program.path_start = {0};
  program.steps = {{.kind = Step::Kind::run, .first_op = 0, .end_op = 1},
                   {.kind = Step::Kind::loop_end, .count = 4'000'000},
                   {.kind = Step::Kind::run, .first_op = 1, .end_op = 5},
                   {.kind = Step::Kind::finish}};
  w.program = std::make_shared<const SmProgram>(std::move(program));
  w.kinds = {{{0}}};
  const SmResult exact = simulate_sm(w);
  w.steady_error = 0.0025;
  const SmResult continued = simulate_sm(w);
  EXPECT_GT(continued.continued.all_iterations, continued.continued.iterations);
  EXPECT_EQ(exact.prologue_cycles, 39'999'991);
  EXPECT_EQ(continued.prologue_cycles, exact.prologue_cycles);
  EXPECT_EQ(continued.trigger_cycles, exact.trigger_cycles);
}

} // namespace
} // namespace kerncast::engine
