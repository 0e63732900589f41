// A loop whose trips the text tells and whose copies are few is gone from what executes: no counter, no
// comparison, no branch, and addresses that the counter made are places.
#include "compile_ptx.h"

namespace kerncast::lowering {
namespace {

using ::testing::ElementsAre;

std::string summing(const std::string& trips, const std::string& pragma = "") {
  return "ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.f32 %f1, 0f00000000;\nLOOP:\n" + pragma +
         "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d2, %d9, %d1;\nld.global.f32 %f2, [%d2];\n"
         "add.f32 %f1, %f1, %f2;\nadd.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, " +
         trips + ";\n@%p1 bra LOOP;\nst.global.f32 [%d9], %f1;";
}

// The address of trip k is the base and 4k, a constant: nothing computes it.
TEST(CompleteUnrolling, leaves_the_work_of_the_trips_alone) {
  const auto list = compile_body(summing("3"));
  EXPECT_THAT(operations(list), ElementsAre("mov.f32", "ld.global.f32", "add.f32", "ld.global.f32", "add.f32",
                                            "ld.global.f32", "add.f32", "st.global.f32", "ret"));
  EXPECT_TRUE(list.loops.empty());
}

TEST(CompleteUnrolling, keeps_the_lines_of_the_loop) {
  const auto list = compile_body(summing("3"));
  EXPECT_EQ(list.tasks[1].line, list.tasks[3].line);
  EXPECT_EQ(list.tasks[2].line, list.tasks[6].line);
}

TEST(CompleteUnrolling, follows_sums_from_trip_to_trip) {
  const auto list = compile_body(summing("3"));
  EXPECT_THAT(list.dependencies(list.tasks[4]), ElementsAre(2, 3));
  EXPECT_THAT(list.dependencies(list.tasks[7]), ElementsAre(6));
}

// 400 trips of two operations and a load, which weighs two, below 850 + 2.7 x 400 = 1,930: the sum that is
// the address weighs nothing. 1,000 trips of two operations more are 6,000, above 3,550. So does ptxas.
TEST(CompleteUnrolling, stops_at_the_limit) {
  EXPECT_EQ(count(compile_body(summing("400")), "ld.global.f32"), 400);
  const std::string more = "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n";
  EXPECT_EQ(compile_body(summing("1000", more)).loops.size(), 1u);
}

// 8 trips of 100 operations are above 344 + 14 x 8 = 456 and below (310 + 19 x 8) sqrt(1 + 8) = 1,386: eight
// loads of shared memory raise the limit, of a loop within a loop, up to sm_89.
TEST(CompleteUnrolling, goes_further_around_shared_memory) {
  std::string inner = "mov.u32 %r2, 0;\nINNER:\n", outer = "mov.u32 %r1, 0;\nOUTER:\n";
  for (int i = 0; i < 8; ++i)
    inner += "ld.shared.f32 %f2, [%r8+" + std::to_string(256 * i) + "];\nadd.f32 %f1, %f1, %f2;\n";
  for (int i = 0; i < 74; ++i)
    inner += "fma.rn.f32 %f1, %f1, %f1, %f2;\n";
  inner += "add.s32 %r8, %r8, 2048;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 8;\n@%p1 bra INNER;\n";
  const std::string begin = ".shared .align 4 .b8 tile[16384];\nld.param.u64 %d9, [p];\nmov.u32 %r8, tile;\n"
                            "mov.f32 %f1, 0f00000000;\nld.global.u32 %r9, [%d9];\n";
  const std::string end = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, %r9;\n@%p2 bra OUTER;\n";
  const std::string keep = "st.global.f32 [%d9], %f1;";
  EXPECT_EQ(count(compile_body(begin + outer + inner + end + keep), "ld.shared.f32"), 64);
  EXPECT_EQ(count(compile_body(begin + outer + inner + end + keep, {.target = 90}), "ld.shared.f32"), 8);
  EXPECT_EQ(count(compile_body(begin + inner + keep), "ld.shared.f32"), 8);
}

TEST(CompleteUnrolling, obeys_the_pragma_and_the_option) {
  EXPECT_EQ(compile_body(summing("3", ".pragma \"nounroll\";\n")).loops.size(), 1u);
  EXPECT_EQ(compile_body(summing("3"), {.unroll = false}).loops.size(), 1u);
}

// The inner loop is gone first, then the outer one is innermost: 2 x 3 stores, and the end.
TEST(CompleteUnrolling, takes_loops_in_loops) {
  const auto list = compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nOUTER:\nmov.u32 %r2, 0;\nINNER:\n"
                                 "add.s32 %r3, %r1, %r2;\nmul.wide.u32 %d1, %r3, 4;\nadd.s64 %d2, %d9, %d1;\n"
                                 "st.global.u32 [%d2], %r3;\nadd.s32 %r2, %r2, 1;\n"
                                 "setp.lt.s32 %p1, %r2, 3;\n@%p1 bra INNER;\nadd.s32 %r1, %r1, 1;\n"
                                 "setp.lt.s32 %p2, %r1, 2;\n@%p2 bra OUTER;");
  EXPECT_EQ(list.tasks.size(), 6u + 1);
  EXPECT_TRUE(list.loops.empty());
}

std::string three_by_three(int operations, const std::string& inner_predicate) {
  std::string text = "ld.param.u64 %d9, [p];\nld.global.f32 %f1, [%d9];\nmov.u32 %r1, 0;\nOUTER:\n"
                     "mov.u32 %r2, 0;\nINNER:\n";
  for (int i = 0; i < operations; ++i)
    text += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  return text + "add.s32 %r2, %r2, 1;\nsetp.lt.s32 " + inner_predicate + ", %r2, 3;\n@" + inner_predicate +
         " bra INNER;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 3;\n@%p2 bra OUTER;\n"
         "st.global.f32 [%d9], %f1;";
}

// Three trips of 3 x 60 are 540: above 344 + 14 x 3 = 386, the limit of one loop, and below
// (310 + 19 x 3) sqrt(1.5 + 3 / 2) = 635, as three trips within are unrolled. Three of 3 x 75 are 675.
TEST(CompleteUnrolling, goes_further_around_unrolled_loops) {
  EXPECT_EQ(count(compile_body(three_by_three(60, "%p1")), "fma.rn.f32"), 9 * 60);
  EXPECT_EQ(count(compile_body(three_by_three(75, "%p1")), "fma.rn.f32"), 3 * 75);
}

// What the branch back reads is what was written just before it.
TEST(CompleteUnrolling, takes_loops_that_share_a_predicate) {
  const auto list = compile_body(three_by_three(2, "%p2"));
  EXPECT_TRUE(list.loops.empty());
  EXPECT_EQ(count(list, "fma.rn.f32"), 9 * 2);
  EXPECT_EQ(count(list, "setp.lt.s32"), 0);
}

// %r5 is written in one of two ways: which of the trips wrote it last is not known, so it keeps its name.
TEST(CompleteUnrolling, copies_branches_within_the_body) {
  const auto list = compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.u32 %r7, %tid.x;\n"
                                 "mov.u32 %r5, 7;\nLOOP:\nadd.s32 %r6, %r7, %r1;\nsetp.eq.s32 %p2, %r6, 5;\n"
                                 "@%p2 bra SKIP;\nmov.u32 %r5, %r6;\nSKIP:\nadd.s32 %r1, %r1, 1;\n"
                                 "setp.lt.s32 %p1, %r1, 2;\n@%p1 bra LOOP;\nst.global.u32 [%d9], %r5;");
  EXPECT_EQ(count(list, "bra"), 2);
  EXPECT_EQ(count(list, "mov.u32"), 3); // what %r5 starts with, and each trip's
  EXPECT_EQ(list.blocks.size(), 5u);
}

// ld.shared in a loop with an exchange between lanes: never unrolled.
TEST(CompleteUnrolling, leaves_operations_of_whole_warps) {
  const auto list = compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.u32 %r2, %tid.x;\nLOOP:\n"
                                 "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\nadd.s32 %r1, %r1, 1;\n"
                                 "setp.lt.s32 %p1, %r1, 2;\n@%p1 bra LOOP;\nst.global.u32 [%d9], %r2;");
  EXPECT_EQ(list.loops.size(), 1u);
}

// A slow path branches to a routine, and a barrier under a condition is none that a compiler moves. A short
// quotient of integers has no slow path, nor has an approximation.
TEST(CompleteUnrolling, leaves_slow_paths_and_conditional_barriers) {
  const auto loops_around = [](const std::string& body) {
    return compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.u32 %r2, %tid.x;\n"
                        "ld.global.f32 %f1, [%d9];\nLOOP:\n" +
                        body +
                        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 2;\n@%p1 bra LOOP;\n"
                        "st.global.f32 [%d9], %f1;\nst.global.u32 [%d9], %r2;")
        .loops.size();
  };
  EXPECT_EQ(loops_around("div.rn.f32 %f1, %f1, %f1;\n"), 1u);
  EXPECT_EQ(loops_around("sqrt.rn.ftz.f32 %f1, %f1;\n"), 1u);
  EXPECT_EQ(loops_around("div.approx.f32 %f1, %f1, %f1;\n"), 0u);
  EXPECT_EQ(loops_around("div.full.f32 %f1, %f1, %f1;\n"), 0u);
  EXPECT_EQ(loops_around("rem.s32 %r2, %r2, %r1;\n"), 0u);
  EXPECT_EQ(loops_around("bar.sync 0;\n"), 0u);
  EXPECT_EQ(loops_around("setp.gt.f32 %p2, %f1, %f1;\n@%p2 bra SKIP;\nbar.sync 0;\nSKIP:\n"), 1u);
}

// Which trip wrote %r5 last is not known behind the loop, so all trips write it under its name. Of its three
// trips the first two have the inner exit's branch alone, and so has the last: its way back is gone.
TEST(CompleteUnrolling, keeps_other_exits) {
  const auto list = compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.u32 %r7, %tid.x;\nLOOP:\n"
                                 "add.s32 %r5, %r7, %r1;\nsetp.eq.s32 %p2, %r5, 5;\n@%p2 bra OUT;\n"
                                 "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 3;\n@%p1 bra LOOP;\nOUT:\n"
                                 "st.global.u32 [%d9], %r5;");
  EXPECT_TRUE(list.loops.empty());
  EXPECT_EQ(count(list, "bra"), 3);
  EXPECT_EQ(count(list, "add.s32"), 3);
  const auto store = std::ranges::find(list.tasks, tasklist::TaskKind::store, &tasklist::Task::kind);
  ASSERT_NE(store, list.tasks.end());
  EXPECT_EQ(list.dependencies(*store).size(), 3u);
}

// What is left of a loop that begins with a 5 in %r1 and a 0 in %r2.
tasklist::Tasklist with_copies(const std::string& body) {
  return compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 5;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                      "mov.u32 %r7, %tid.x;\nLOOP:\n" +
                      body + "@%p1 bra LOOP;\nst.global.u32 [%d9], %r3;");
}

// for (j = 0, k = 5; j != 3; k = j++): the step reads a copy that is made in front of it, and begins with j.
TEST(CompleteUnrolling, counts_from_what_is_copied_before_the_step) {
  const auto list = with_copies("mov.u32 %r4, %r1;\nmov.u32 %r1, %r2;\nmad.lo.s32 %r3, %r4, %r7, %r3;\n"
                                "add.s32 %r2, %r1, 1;\nsetp.ne.s32 %p1, %r2, 3;\n");
  EXPECT_TRUE(list.loops.empty());
  EXPECT_EQ(count(list, "mad.lo.s32"), 3);
}

// The same with the copy behind the step begins with the copy.
TEST(CompleteUnrolling, counts_from_the_copy_that_is_made_behind_the_step) {
  const auto list = with_copies("add.s32 %r2, %r1, 1;\nmad.lo.s32 %r3, %r2, %r7, %r3;\n"
                                "setp.ne.s32 %p1, %r2, 9;\nmov.u32 %r1, %r2;\n");
  EXPECT_TRUE(list.loops.empty());
  EXPECT_EQ(count(list, "mad.lo.s32"), 4);
}

// The counter of the inner loop goes on counting when the outer one enters it again.
TEST(CompleteUnrolling, leaves_counters_that_start_further_out) {
  const auto list =
      compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, 0;\nmov.u32 %r7, %tid.x;\nOUTER:\n"
                   "mov.u32 %r3, 0;\nLOOP:\nmad.lo.s32 %r3, %r1, %r7, %r3;\nadd.s32 %r1, %r1, 1;\n"
                   "setp.lt.s32 %p1, %r1, 3;\n@%p1 bra LOOP;\nst.global.u32 [%d9], %r3;\n"
                   "ld.global.u32 %r8, [%d9+4];\nsetp.ne.s32 %p2, %r8, 0;\n@%p2 bra OUTER;");
  EXPECT_EQ(list.loops.size(), 2u);
}

TEST(ConstantArithmetic, is_done_in_the_width_of_the_type) {
  // 0xffffffff + 2 is 1 in 32 bits; times 4 in 64 bits it is 4.
  const auto list = compile_body("ld.param.u64 %d9, [p];\nmov.u32 %r1, -1;\nadd.u32 %r2, %r1, 2;\n"
                                 "mul.wide.u32 %d1, %r2, 4;\nst.global.u64 [%d9], %d1;");
  ASSERT_EQ(list.tasks.size(), 2u); // with the end
  const auto constants = list.constants_of(list.tasks[0]);
  EXPECT_TRUE(std::ranges::any_of(constants, [&](std::uint32_t c) { return list.constants[c] == "4"; }));
}

} // namespace
} // namespace kerncast::lowering
