// Kernels with asynchronous copies to shared memory against the machine instructions that ptxas 13.0 made of
// the same text for sm_80 and sm_90.
#include <array>

#include <gtest/gtest.h>

#include "lowered_by_gpu.h"

namespace kerncast::machine::asynchronous_copies {
namespace {

constexpr std::array targets = {"sm_80", "sm_90"};
using Counts = std::array<double, targets.size()>;

const std::string copy = "cp.async.cg.shared.global [%r3], [%d1], 16;\n";
const std::string next_copy = "cp.async.cg.shared.global [%r3+4096], [%d1+512], 16;\n";
const std::string load = "ld.shared.f32 %f2, [%r3+64]; add.f32 %f1, %f1, %f2;\n";
const std::string commit = "cp.async.commit_group;\n";
const std::string barrier = "bar.sync 0;\n";
const std::string rest = commit + "cp.async.wait_group 0;\n" + barrier + load;

// %d1 is a place in global memory and %r3 one in shared memory of this thread.
Counts instructions(const std::string& body) {
  const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {\n"
                           ".reg .pred %p<20>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %d<40>;\n"
                           ".shared .align 16 .b8 s[16384];\n"
                           "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n];\n"
                           "mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 32;\n"
                           "add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;\n"
                           "mov.u32 %r3, s; shl.b32 %r4, %r2, 4; add.u32 %r3, %r3, %r4;\n"
                           "setp.lt.u32 %p1, %r2, %r1; mov.b32 %f1, %r2; mov.u32 %r6, 0;\n" +
                           body + "st.global.f32 [%d2], %f1;\nret;\n}\n";
  Counts counts{};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto program = lowered(SourceText("k.ptx", text), "", targets[i]);
    EXPECT_TRUE(program) << targets[i];
    counts[i] = program ? static_cast<double>(program->static_instructions()) : 0;
  }
  return counts;
}

// `of_ptxas`: what its code has more than that of one copy.
void expect_more(const std::string& body, Counts of_ptxas) {
  const Counts one = instructions(copy + rest), ours = instructions(body);
  for (std::size_t i = 0; i < targets.size(); ++i)
    EXPECT_EQ(ours[i] - one[i], of_ptxas[i]) << targets[i] << "\n" << body;
}

void expect_near(const std::string& body, Counts of_ptxas, double percent) {
  const Counts ours = instructions(body);
  for (std::size_t i = 0; i < targets.size(); ++i)
    EXPECT_NEAR(ours[i], of_ptxas[i], of_ptxas[i] * percent / 100) << targets[i] << "\n" << body;
}

std::string loop(const std::string& body, const std::string& trips, int multiply_adds) {
  std::string text = "L0:\n" + body;
  for (int i = 0; i < multiply_adds; ++i)
    text += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  return text + "add.s64 %d1, %d1, 128; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, " + trips +
         "; @%p2 bra L0;\n";
}

// On sm_90 the first copy of a block has the three loads that no lane executes, on sm_80 the one behind a
// barrier, on both one behind a load; a second copy behind the first has none.
TEST(AsynchronousCopies, keep_a_distance_from_other_accesses) {
  expect_more(copy + next_copy + rest, {1, 1});
  expect_more(barrier + copy + rest, {1 + 3, 1});
  expect_more(copy + load + next_copy + rest, {2 + 3 + 1, 2 + 3 + 1});
  expect_more(load + copy + load + next_copy + rest, {2 + 3 + 2 + 3 + 1, 2 + 2 + 3 + 1});
}

// LDGDEPBAR and DEPBAR.
TEST(AsynchronousCopies, are_waited_for_all_as_for_a_group) {
  expect_more(copy + "cp.async.wait_all;\n" + barrier + load, {0, 0});
}

// The address in global memory has room for 12 bits.
TEST(AsynchronousCopies, add_small_offsets_to_where_they_read) {
  const std::string far = "cp.async.cg.shared.global [%r3], [%d4], 16;\n" + rest;
  expect_more("add.s64 %d4, %d1, 2032;\n" + far, {0, 0});
  expect_more("add.s64 %d4, %d1, 2048;\n" + far, {2, 2});
}

// The comparison; on sm_90 with an operand that it loads.
TEST(AsynchronousCopies, take_a_predicate_for_a_size_or_zero) {
  expect_more("selp.b32 %r5, 16, 0, %p1;\ncp.async.cg.shared.global [%r3], [%d1], 16, %r5;\n" + rest, {1, 2});
}

TEST(AsynchronousCopies, unroll_where_they_are_few) {
  expect_near(loop(copy + rest + barrier, "%r1", 9), {195, 195}, 10);
  expect_near(loop(copy, "%r1", 13), {163, 170}, 3);
  expect_near(loop(copy, "%r1", 20), {43, 48}, 12);
}

// Neither with a barrier nor in part.
TEST(AsynchronousCopies, that_are_guarded_unroll_less) {
  const std::string guarded = "@%p1 " + copy;
  expect_near(loop(guarded + commit, "%r1", 5), {114, 125}, 5);
  expect_near(loop(guarded + rest + barrier, "%r1", 5), {34, 41}, 12);
  expect_near(loop(guarded + commit, "40", 25), {49, 54}, 5);
}

} // namespace
} // namespace kerncast::machine::asynchronous_copies
