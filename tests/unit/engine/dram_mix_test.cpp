// What a launch writes of the bytes that DRAM moves, and what the mix costs.
#include <gtest/gtest.h>

#include "dram_mix.h"

namespace kerncast::engine {
namespace {

SmOp access(std::uint16_t number, bool is_load) {
  SmOp op;
  op.kind = SmOpKind::memory;
  op.access = number;
  op.returns_data = is_load;
  return op;
}

memory_model::Request served_by_dram(double bytes, double share = 1) {
  memory_model::Request request;
  request.levels[1] = {1 - share, 200, bytes, 0};
  request.levels[2] = {share, 500, bytes, bytes};
  return request;
}

// Path 0: a load of 128 bytes; three times: two steps with a load of which half are hits and a store on
// average. Path 1: one store on average.
SmProgram two_paths() {
  SmProgram p;
  p.requests = {served_by_dram(128), served_by_dram(64, 0.5), {}};
  p.requests[2].dram_bytes = 32;
  p.requests[2].dram_written = 1;
  p.request_pool = {0, 1, 2, 2};
  p.ops = {access(0, true), access(0, true), access(1, false), access(0, false)};
  p.steps = {{.kind = Step::Kind::run, .first_op = 0, .end_op = 1, .requests = 0},
             {.kind = Step::Kind::run, .first_op = 1, .end_op = 2, .requests = 1},
             {.kind = Step::Kind::run, .first_op = 1, .end_op = 3, .requests = 1},
             {.kind = Step::Kind::loop_end, .target = 1, .count = 3},
             {.kind = Step::Kind::finish},
             {.kind = Step::Kind::run, .first_op = 3, .end_op = 4, .requests = 3},
             {.kind = Step::Kind::finish}};
  p.path_start = {0, 5};
  return p;
}

TEST(dram_mix, is_that_of_all_warps) {
  const SmProgram program = two_paths();
  const std::vector<CtaKind> kinds = {{{0, 1}}, {{1}}};
  // A warp of path 0 reads 128 + 3 x (32 + 32) bytes and writes 3 x 32; one of path 1 writes 32.
  const double read = 10 * 320.0, written = 10 * (96.0 + 32) + 5 * 32;
  const std::vector<GridKind> grid = {{10, 1, 0}, {5, 1, 0}};
  EXPECT_DOUBLE_EQ(written_share(program, kinds, grid), written / (read + written));
}

TEST(dram_mix, of_nothing_is_nothing) {
  SmProgram program = two_paths();
  program.requests = {{}, {}, {}};
  EXPECT_EQ(written_share(program, std::vector<CtaKind>{{{0}}}, std::vector<GridKind>{{1, 1, 0}}), 0);
}

TEST(dram_mix, costs_most_where_half_is_written) {
  EXPECT_EQ(slowdown_of_mix(0, 0.08), 1);
  EXPECT_EQ(slowdown_of_mix(1, 0.08), 1);
  EXPECT_DOUBLE_EQ(slowdown_of_mix(0.5, 0.08), 1.08);
  EXPECT_DOUBLE_EQ(slowdown_of_mix(0.25, 0.08), 1.06);
}

} // namespace
} // namespace kerncast::engine
