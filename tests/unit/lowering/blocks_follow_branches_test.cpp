// Basic blocks and successors: taken targets first, fall-through last.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

using tasklist::TaskKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Blocks, end_at_a_guarded_branch_with_the_taken_target_first) {
  const auto list = lower_body("@%p1 bra END;\nadd.s32 %r1, %r1, 1;\nEND: ret;", as_written);
  ASSERT_EQ(list.blocks.size(), 3U);
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(2, 1));
  EXPECT_THAT(list.blocks[1].successors, ElementsAre(2));
  EXPECT_THAT(list.blocks[2].successors, IsEmpty());
  EXPECT_EQ(list.blocks[2].label, "END");
  EXPECT_EQ(list.blocks[2].line, 6U);
}

TEST(Blocks, are_not_split_by_labels_that_no_branch_names) {
  EXPECT_EQ(lower_body("add.s32 %r1, %r1, 1;\nHERE: ret;", as_written).blocks.size(), 1U);
}

TEST(Blocks, go_on_after_a_guarded_exit) {
  const auto list = lower_body("@%p1 exit;\n@%p2 ret;\nst.global.u32 [%d1], %r1;\nret;");
  ASSERT_EQ(list.blocks.size(), 3U);
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(1));
  EXPECT_THAT(list.blocks[1].successors, ElementsAre(2));
  EXPECT_EQ(list.tasks[1].kind, TaskKind::exit);
  EXPECT_TRUE(list.tasks[1].predicated);
}

TEST(Blocks, stop_at_a_trap) {
  const auto list = lower_body("trap;\nst.global.u32 [%d1], %r1;", as_written);
  EXPECT_THAT(list.blocks[0].successors, IsEmpty());
}

TEST(Blocks, of_an_indexed_branch_are_all_listed_targets_in_order) {
  const auto list = lower_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: ret;", as_written);
  ASSERT_EQ(list.blocks.size(), 3U);
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(1, 2, 1)); // A, B, A
  EXPECT_EQ(list.uses(list.tasks[0]).size(), 1U);
}

TEST(Blocks, of_an_indexed_branch_under_a_guard_begin_with_a_branch_around_it) {
  const auto list = lower_body(
      "T: .branchtargets A, B;\n@%p1 brx.idx %r1, T;\nadd.s32 %r1, %r1, 1;\nA: ret;\nB: ret;", as_written);
  ASSERT_EQ(list.blocks.size(), 5U);
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(2, 1));
  EXPECT_TRUE(list.tasks[0].predicated);
  EXPECT_THAT(list.blocks[1].successors, ElementsAre(3, 4));
  EXPECT_FALSE(list.tasks[1].predicated);
}

TEST(Blocks, end_in_an_empty_one_where_a_branch_leaves_the_text) {
  const auto list = lower_body("@%p1 bra END;\nst.global.u32 [%d1], %r1;\nEND:");
  ASSERT_EQ(list.blocks.size(), 3U);
  EXPECT_EQ(list.blocks[2].task_count, 0U);
  EXPECT_THAT(list.blocks[1].successors, ElementsAre(2));
}

TEST(Blocks, of_an_empty_kernel_are_one) {
  const auto list = lower_body("");
  ASSERT_EQ(list.blocks.size(), 1U);
  EXPECT_EQ(list.tasks.size(), 0U);
}

TEST(Blocks, longer_than_the_access_number_can_count_are_cut) {
  std::string body;
  for (int i = 0; i < 70'000; ++i) {
    body += "st.global.u32 [%d1], %r1;\n";
  }
  const auto list = lower_body(body);
  EXPECT_EQ(list.tasks.size(), 70'000U);
  EXPECT_EQ(list.blocks.size(), 3U); // of at most 32,768 instructions
}

TEST(Blocks, in_an_irreducible_cycle_are_named_as_an_assumption) {
  // Both A and B are entered from outside, and each leads to the other.
  const auto list = lower_body("@%p1 bra B;\n"
                               "A: add.s32 %r1, %r1, 1;\n"
                               "B: add.s32 %r1, %r1, 2;\n"
                               "setp.lt.s32 %p2, %r1, 10;\n"
                               "@%p2 bra A;\n"
                               "st.global.u32 [%d1], %r1;");
  EXPECT_THAT(list.loops, IsEmpty());
  EXPECT_THAT(list.assumptions, ElementsAre(HasSubstr("closes a cycle that is also entered elsewhere")));
}

TEST(Lines, are_those_of_the_text_and_of_loc) {
  const auto list =
      lower_module(".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n"
                   ".entry k() {\n.reg .b32 %r<3>;\n.loc 1 42 7\nmov.u32 %r1, %tid.x;\nret;\n}\n",
                   as_written);
  EXPECT_EQ(list.tasks[0].line, 8U);
  EXPECT_EQ(list.tasks[0].source_line, 42U);
}

} // namespace
} // namespace kerncast::lowering
