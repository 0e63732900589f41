// Programs larger than the instruction cache fetch their lines from L2.
#include <gtest/gtest.h>

#include "small_workload.h"

namespace kerncast::engine {
namespace {

using small::compute;
using small::workload;

SmWorkload with_cache(SmWorkload w, std::uint32_t lines) {
  w.config.instruction_cache_lines = lines;
  w.config.instructions_per_line = 4;
  w.config.instruction_miss_latency = 100;
  return w;
}

// 12 instructions on three lines. The first line is asked for at 0, the next when the last instruction of the
// one before has issued: 100 to 103, 104 + 100 to 207, 208 + 100 to 311; the last ends at 312.
TEST(instruction_cache, every_line_is_fetched_once) {
  const SmWorkload w = workload({}, {std::vector<SmOp>(12, compute(1))});
  const SmResult result = simulate_sm(with_cache(w, 2));
  EXPECT_DOUBLE_EQ(result.cycles, 312);
  EXPECT_DOUBLE_EQ(result.l2_bytes, 3 * 128);
  EXPECT_DOUBLE_EQ(small::charged(result, WarpState::no_instruction), 300);
  EXPECT_DOUBLE_EQ(simulate_sm(w).cycles, 12);
}

SmWorkload loop_of_12(std::uint64_t count) {
  SmWorkload w = workload({}, {std::vector<SmOp>(12, compute(1))});
  SmProgram program = *w.program;
  program.loop_depth = 1;
  program.steps = {{.kind = Step::Kind::run, .end_op = 12},
                   {.kind = Step::Kind::loop_end, .count = count},
                   {.kind = Step::Kind::finish}};
  w.program = std::make_shared<const SmProgram>(std::move(program));
  return w;
}

// A loop over three lines: two lines of cache miss every time, as the least recently used one makes room;
// three hold it.
TEST(instruction_cache, a_loop_that_does_not_fit_misses_every_time) {
  EXPECT_DOUBLE_EQ(simulate_sm(with_cache(loop_of_12(10), 2)).l2_bytes, 10 * 3 * 128);
  EXPECT_DOUBLE_EQ(simulate_sm(with_cache(loop_of_12(10), 3)).l2_bytes, 3 * 128);
  EXPECT_DOUBLE_EQ(simulate_sm(with_cache(loop_of_12(10), 3)).cycles, 312 + 9 * 12);
}

// Three lines of 128 bytes that four SMs fetch in step: L2 gives each of them a quarter of 384 bytes, as late
// as the SM alone would have it, as L2's rate is no limit here.
TEST(instruction_cache, sms_that_fetch_in_step_ask_l2_once) {
  SmWorkload w = with_cache(workload({}, {std::vector<SmOp>(12, compute(1))}), 2);
  w.config.instruction_sms = 4;
  const SmResult result = simulate_sm(w);
  EXPECT_DOUBLE_EQ(result.cycles, 312);
  EXPECT_DOUBLE_EQ(result.l2_bytes, 96);
  EXPECT_DOUBLE_EQ(result.l2_fetched_bytes, 96);
}

// Two warps at the same place: the second finds what the first has asked for.
TEST(instruction_cache, serves_all_warps) {
  SmWorkload w = workload({}, {std::vector<SmOp>(8, compute(1))});
  w.kinds[0].warp_paths = {0, 0};
  // Warp 0 issues at 100 to 103, warp 1 at 104 to 107; the second line is there at 204 for both.
  const SmResult result = simulate_sm(with_cache(w, 2));
  EXPECT_DOUBLE_EQ(result.l2_bytes, 2 * 128);
  EXPECT_DOUBLE_EQ(result.cycles, 204 + 8);
}

} // namespace
} // namespace kerncast::engine
