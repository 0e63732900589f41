// Loops by depth, and which share of their iterations stands for all.
#include <gtest/gtest.h>

#include "loops.h"

namespace kerncast::engine {
namespace {

// 2 operations, and a loop of `outer` iterations of 3 operations and a loop of `inner` iterations of 5.
SmProgram nest(std::uint64_t outer, std::uint64_t inner) {
  using Kind = Step::Kind;
  SmProgram program;
  program.loop_depth = 2;
  program.steps = {{.kind = Kind::run, .first_op = 0, .end_op = 2},
                   {.kind = Kind::run, .first_op = 2, .end_op = 5},
                   {.kind = Kind::run, .first_op = 5, .end_op = 10},
                   {.kind = Kind::loop_end, .depth = 1, .target = 2, .count = inner},
                   {.kind = Kind::loop_end, .depth = 0, .target = 1, .count = outer},
                   {.kind = Kind::finish}};
  program.path_start = {0};
  return program;
}

TEST(loops, count_the_instructions_of_loops_inside_them) {
  const SmProgram program = nest(7, 100);
  EXPECT_EQ(longest_loop(program, 0).iterations, 7U);
  EXPECT_EQ(longest_loop(program, 0).instructions, 3U + 100 * 5);
  EXPECT_EQ(longest_loop(program, 1).iterations, 100U);
  EXPECT_EQ(longest_loop(program, 1).instructions, 5U);
  EXPECT_EQ(longest_loop(program, 2).iterations, 0U);
}

TEST(loops, are_one_iteration_at_least) {
  EXPECT_EQ(iterations_of({.iterations = 9, .instructions = 500}, 4096), 8U);
  EXPECT_EQ(iterations_of({.iterations = 9, .instructions = 5000}, 4096), 1U);
}

// An outer iteration has 503 instructions: 32 of them make 16,384.
TEST(loops, keep_16384_instructions_of_a_warp) {
  const SmProgram program = nest(3200, 100);
  const LoopShares shares = shares_that_stand_for_all(program);
  EXPECT_DOUBLE_EQ(shares[0], 0.01);
  EXPECT_EQ(shares[1], 1);
  const auto shorter = with_shares_of_loops(program, shares);
  EXPECT_EQ(longest_loop(*shorter, 0).iterations, 32U);
  EXPECT_EQ(longest_loop(*shorter, 1).iterations, 100U);
}

// Of the inner loop 16,384 / 5 = 3,276 iterations are kept; eight outer ones are more than enough then.
TEST(loops, are_shortened_from_the_inside) {
  const SmProgram program = nest(80, 32760);
  const auto shorter = with_shares_of_loops(program, shares_that_stand_for_all(program));
  EXPECT_EQ(longest_loop(*shorter, 1).iterations, 3276U);
  EXPECT_EQ(longest_loop(*shorter, 0).iterations, 8U);
}

TEST(loops, that_are_hardly_longer_stay) {
  const SmProgram program = nest(16, 100);
  EXPECT_EQ(shares_that_stand_for_all(program), LoopShares({1, 1}));
}

} // namespace
} // namespace kerncast::engine
