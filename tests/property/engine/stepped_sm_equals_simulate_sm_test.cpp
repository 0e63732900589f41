// An SM that learns when its misses return only when they do, piece by piece, is the same SM: cycle for cycle
// that of simulate_sm, if what surrounds it shares nothing.
#include <gtest/gtest.h>

#include "../../ideal_surroundings.h"
#include "engine/simulate_sm.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

// Of what differs by design nothing is left: shares of L2 and DRAM, which are somebody else's; the limit of
// misses under way, behind which these queue in another order; bytes that simulate_sm delivers to a barrier
// when their copy issues, and not when it ends.
SmWorkload comparable(std::uint32_t seed) {
  SmWorkload w = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
  w.config.l2_bytes_per_clock = 0;
  w.config.l2_requests = {};
  w.config.hottest_turns_per_clock = 0;
  w.config.dram_bytes_per_clock = 0;
  w.config.cta_launch_latency += 150.5;
  w.config.in_flight_bytes = 0;
  SmProgram program = *w.program;
  for (SmOp& op : program.ops)
    if (op.async == AsyncKind::transactions)
      op.async = AsyncKind::copies;
  for (BarrierUse& use : program.barrier_uses)
    use.after_copies = false;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  return w;
}

// CTAs that are replaced at once are so in the next window here, which warps that wait for the choice may
// notice.
SmWorkload without_replacement(SmWorkload workload) {
  workload.ctas = {{0, (workload.resident_ctas + 1) / 2}, {1, workload.resident_ctas / 2}};
  return workload;
}

void expect_equal(std::uint32_t seed) {
  for (const std::int64_t window : {1, 7, 20}) {
    SmWorkload workload = comparable(seed);
    if (window > 1)
      workload = without_replacement(std::move(workload));
    const SmResult whole = simulate_sm(workload);
    const SmResult pieces = IdealSurroundings(workload, window).run();
    ASSERT_EQ(pieces.cycles, whole.cycles) << "seed " << seed << ", windows of " << window;
    ASSERT_EQ(pieces.warp_instructions, whole.warp_instructions) << "seed " << seed;
    ASSERT_EQ(pieces.warp_state_cycles, whole.warp_state_cycles)
        << "seed " << seed << ", windows of " << window;
    ASSERT_EQ(pieces.l2_bytes, whole.l2_bytes) << "seed " << seed;
    ASSERT_EQ(pieces.broken_barriers, whole.broken_barriers) << "seed " << seed;
  }
}

TEST(stepped_sm, equals_simulate_sm_on_random_workloads) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed)
    ASSERT_NO_FATAL_FAILURE(expect_equal(seed));
}

} // namespace
} // namespace kerncast::engine
