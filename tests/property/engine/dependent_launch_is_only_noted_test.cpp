// Operations of programmatic dependent launch take what arithmetic takes; that they are noted changes
// nothing. What is noted is the same however the SM is simulated.
#include <gtest/gtest.h>

#include "../../ideal_surroundings.h"
#include "engine/simulate_sm.h"
#include "first_ctas.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

constexpr std::uint32_t noted_workloads = 1000;

SmWorkload plain(std::uint32_t seed) {
  SmWorkload w = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
  SmProgram program = *w.program;
  for (SmOp& op : program.ops)
    if (op.kind == SmOpKind::compute && op.async == AsyncKind::none)
      op.cross_latency = 0;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  return w;
}

// Every second operation of arithmetic is one of the two.
SmWorkload noted(SmWorkload w, std::uint32_t seed) {
  SmProgram program = *w.program;
  for (SmOp& op : program.ops)
    if (op.kind == SmOpKind::compute && op.async == AsyncKind::none && (seed = seed * 5 + 1) % 4 < 2)
      op.kind = seed % 4 == 0 ? SmOpKind::launch_dependents : SmOpKind::wait_for_primary;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  return w;
}

void expect_parts(const SmResult& a, const SmResult& b, std::uint32_t seed) {
  ASSERT_EQ(a.trigger_cycles, b.trigger_cycles) << "seed " << seed;
  ASSERT_EQ(a.prologue_cycles, b.prologue_cycles) << "seed " << seed;
}

TEST(dependent_launch, is_only_noted) {
  std::uint32_t early = 0;
  for (std::uint32_t seed = 0; seed < noted_workloads; ++seed) {
    const SmWorkload workload = plain(seed);
    const SmResult without = simulate_sm(workload);
    const SmResult with = simulate_sm(noted(workload, seed));
    ASSERT_EQ(with.cycles, without.cycles) << "seed " << seed;
    ASSERT_EQ(with.warp_state_cycles, without.warp_state_cycles) << "seed " << seed;
    ASSERT_EQ(with.unit_busy_cycles, without.unit_busy_cycles) << "seed " << seed;
    ASSERT_EQ(with.dram_bytes, without.dram_bytes) << "seed " << seed;
    ASSERT_LE(with.trigger_cycles, with.cycles) << "seed " << seed;
    ASSERT_LE(with.prologue_cycles, with.cycles) << "seed " << seed;
    ASSERT_EQ(without.trigger_cycles, without.cycles) << "seed " << seed;
    early += with.trigger_cycles < with.cycles ? 1 : 0;
  }
  EXPECT_GT(early, noted_workloads / 4);
}

TEST(dependent_launch, is_noted_alike_among_other_ctas) {
  for (std::uint32_t seed = 0; seed < noted_workloads; ++seed) {
    SmWorkload workload = noted(plain(seed), seed);
    workload.steady_error = 0;
    workload.ctas = {{0, 3 * std::uint64_t{workload.resident_ctas}}};
    FirstCtas first(workload);
    const std::uint64_t some = workload.resident_ctas + 1;
    const SmResult among_others = first.of(some);
    workload.ctas = {{0, some}};
    ASSERT_NO_FATAL_FAILURE(expect_parts(among_others, simulate_sm(workload), seed));
  }
}

TEST(dependent_launch, is_noted_alike_by_an_sm_in_a_gpu) {
  for (std::uint32_t seed = 0; seed < noted_workloads; ++seed) {
    SmWorkload workload = noted(plain(seed), seed);
    SmProgram program = *workload.program;
    for (SmOp& op : program.ops)
      op.async = op.async == AsyncKind::transactions ? AsyncKind::copies : op.async;
    for (BarrierUse& use : program.barrier_uses)
      use.after_copies = false;
    workload.program = std::make_shared<const SmProgram>(std::move(program));
    workload.config.l2_bytes_per_clock = workload.config.dram_bytes_per_clock = 0;
    workload.config.l2_requests = {};
    workload.config.hottest_turns_per_clock = 0;
    workload.config.in_flight_bytes = 0;
    workload.config.cta_launch_latency += 150.5;
    ASSERT_NO_FATAL_FAILURE(expect_parts(IdealSurroundings(workload, 1).run(), simulate_sm(workload), seed));
  }
}

} // namespace
} // namespace kerncast::engine
