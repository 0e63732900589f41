// Continuing a steady run of iterations or CTAs differs from stepping through all of it by less than 0.5 %,
// costs a bounded number of steps, and says how far it went.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/simulate_sm.h"
#include "engine/workload_key.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

constexpr double most_different = 0.005;
constexpr double allowed = 0.0025;

#if defined(KERNCAST_ADDRESS_SANITIZER) || defined(KERNCAST_THREAD_SANITIZER)
constexpr std::uint32_t steady_workloads = 1; // a hundred times slower, for other mistakes
#else
constexpr std::uint32_t steady_workloads = 25;
#endif

SmWorkload with_loops(SmWorkload workload, std::uint8_t depth, std::uint64_t count) {
  SmProgram program = *workload.program;
  for (Step& step : program.steps)
    if (step.kind == Step::Kind::loop_end && step.depth == depth)
      step.count = count + step.count; // the paths' counts differ
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  return workload;
}

void expect_nearly_exact(SmWorkload workload, const std::string& what) {
  workload.steady_error = 0;
  const SmResult exact = simulate_sm(workload);
  workload.steady_error = allowed;
  workload.detail = true;
  const SmResult steady = simulate_sm(workload);
  EXPECT_NEAR(steady.cycles, exact.cycles, most_different * exact.cycles) << what;
  EXPECT_LE(steady.continued.error, allowed) << what;
  const StateCycles& states = steady.warp_state_cycles;
  EXPECT_EQ(std::accumulate(states.begin(), states.end(), 0.0), steady.resident_warp_cycles)
      << std::setprecision(17) << what;
  for (const OpResult& op : steady.ops)
    for (const double cycles : op.state_cycles)
      EXPECT_GE(cycles, 0) << what;
}

TEST(steady_runs, of_inner_loops_are_continued_within_half_a_percent) {
  for (std::uint32_t seed = 0; seed < steady_workloads; ++seed)
    expect_nearly_exact(with_loops(RandomWorkload(seed).make(configs::SchedulerPolicy::gto), 1, 9000),
                        "seed " + std::to_string(seed));
}

TEST(steady_runs, of_outer_loops_are_continued_within_half_a_percent) {
  for (std::uint32_t seed = 0; seed < steady_workloads; ++seed)
    expect_nearly_exact(with_loops(RandomWorkload(seed).make(configs::SchedulerPolicy::lrr), 0, 9000),
                        "seed " + std::to_string(seed));
}

TEST(steady_runs, of_ctas_are_continued_within_half_a_percent) {
  for (std::uint32_t seed = 0; seed < steady_workloads; ++seed) {
    SmWorkload workload = RandomWorkload(seed).make(configs::SchedulerPolicy::oldest);
    workload.ctas = {{seed % 2, 6000}};
    expect_nearly_exact(workload, "seed " + std::to_string(seed));
  }
}

// One warp, one instruction of latency 4 that depends on itself: every iteration takes 4 cycles.
SmWorkload counting_loop(std::uint64_t iterations) {
  SmProgram program;
  SmOp op;
  op.latency = 4;
  op.source_count = op.destination_count = 1;
  program.ops = {op};
  program.slots = {0, 0};
  program.slot_count = 1;
  program.loop_depth = 1;
  program.steps = {{.kind = Step::Kind::run, .end_op = 1},
                   {.kind = Step::Kind::loop_end, .count = iterations},
                   {.kind = Step::Kind::finish}};
  program.path_start = {0};
  SmWorkload workload;
  workload.config.units = {{configs::UnitScope::sub_core, 1}};
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  workload.kinds = {{{0}}};
  workload.ctas = {{0, 1}};
  workload.steady_error = allowed;
  return workload;
}

// 10,000,001 iterations: all samples are exactly 4 cycles an iteration.
TEST(steady_runs, ten_million_iterations_cost_less_than_a_million) {
  const SmResult result = simulate_sm(counting_loop(10'000'001));
  EXPECT_EQ(result.cycles, 40'000'004.0);
  EXPECT_EQ(result.warp_instructions, 10'000'001U);
  EXPECT_LE(result.simulated_warp_instructions, 300'000U); // six chunks and remainders
  EXPECT_EQ(result.continued.all_iterations, 10'000'001U);
  EXPECT_EQ(result.continued.error, 0);
}

// The first 400 CTAs take 2,000 cycles each and the last 1,200 twice that, with as many instructions.
TEST(steady_runs, are_not_continued_into_other_ctas) {
  SmWorkload workload = counting_loop(500);
  SmProgram program = *workload.program;
  SmOp slow = program.ops[0];
  slow.latency = 8;
  program.ops.push_back(slow);
  program.path_start.push_back(3);
  program.steps.push_back({.kind = Step::Kind::run, .first_op = 1, .end_op = 2});
  program.steps.push_back({.kind = Step::Kind::loop_end, .target = 3, .count = 500});
  program.steps.push_back({.kind = Step::Kind::finish});
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  workload.kinds = {{{0}}, {{1}}};
  workload.ctas = {{0, 400}, {1, 1200}};
  EXPECT_EQ(simulate_sm(workload).cycles, 400 * 2000.0 + 1200 * 4000.0);
}

TEST(steady_runs, short_ones_are_stepped_through) {
  const SmResult result = simulate_sm(counting_loop(10'000));
  EXPECT_EQ(result.cycles, 40'000.0);
  EXPECT_EQ(result.simulated_warp_instructions, 10'000U);
  EXPECT_EQ(result.continued.all_iterations, 0U);
}

} // namespace
} // namespace kerncast::engine
