// Which writers reach a reader: in a block, over joins, around loops, through predicated writers.
#include "read_list.h"

namespace kerncast::tasklist {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Dependencies, are_the_nearest_writer_in_a_block) {
  const auto list = read_list("a %0\n"            // 0
                              "b %0 <- %0\n"      // 1 reads 0's result
                              "c %1 <- %0 %0\n"); // 2 reads 1's result, once
  EXPECT_THAT(after(list, 1), ElementsAre(0));
  EXPECT_THAT(after(list, 2), ElementsAre(1));
}

TEST(Dependencies, on_what_nobody_writes_do_not_exist) {
  EXPECT_THAT(after(read_list("a %1 <- %0\n"), 0), IsEmpty());
  // Written, but only afterwards and without a loop.
  EXPECT_THAT(after(read_list("a %1 <- %0\nb %0\n"), 0), IsEmpty());
}

TEST(Dependencies, join_the_writers_of_both_branches) {
  const auto list = read_list("block -> 1 2\n bra\n"
                              "block -> 3\n a %0\n bra\n" // tasks 1, 2
                              "block -> 3\n b %0\n bra\n" // tasks 3, 4
                              "block\n c <- %0\n");       // task 5
  EXPECT_THAT(after(list, 5), ElementsAre(1, 3));
}

TEST(Dependencies, pass_a_branch_that_does_not_write) {
  const auto list = read_list("block -> 2 1\n a %0\n bra\n" // 0, 1
                              "block -> 2\n b %0\n"         // 2
                              "block\n c <- %0\n");         // 3
  EXPECT_THAT(after(list, 3), ElementsAre(0, 2));
}

TEST(Dependencies, are_carried_around_a_loop) {
  // sum = 0; do sum = sum + x; while (...)
  const auto list = read_list("block -> 1\n mov %0\n"                  // 0
                              "block -> 1 2\n add %0 <- %0 %1\n bra\n" // 1, 2
                              "block\n st.global <- %0\n");            // 3
  EXPECT_THAT(after(list, 1), ElementsAre(0, 1));
  EXPECT_THAT(after(list, 3), ElementsAre(1));
}

TEST(Dependencies, of_a_single_writer_later_in_the_loop_are_carried) {
  // The reader comes before the only writer; only the back edge connects them.
  const auto list = read_list("block -> 1\n"
                              "block -> 1 2\n use <- %0\n def %0\n bra\n"
                              "block\n exit\n");
  EXPECT_THAT(after(list, 0), ElementsAre(1));
}

TEST(Dependencies, go_through_an_inner_loop_that_does_not_touch_the_value) {
  const auto list = read_list("block -> 1\n a %0\n"               // 0
                              "block -> 1 2\n b %1 <- %1\n bra\n" // 1, 2
                              "block -> 1 3\n c %0 <- %0\n bra\n" // 3, 4: outer latch
                              "block\n exit\n");
  EXPECT_THAT(after(list, 3), ElementsAre(0, 3));
  EXPECT_THAT(after(list, 1), ElementsAre(1));
}

TEST(Dependencies, of_a_predicated_writer_act_as_a_select) {
  const auto list = read_list("a %0\n"
                              "b %0 <- %1 %0 : predicated\n"
                              "c <- %0\n");
  EXPECT_THAT(after(list, 1), ElementsAre(0));
  EXPECT_THAT(after(list, 2), ElementsAre(1));
}

TEST(Dependencies, reach_from_unreachable_code_too) {
  const auto list = read_list("block\n exit\nblock -> 2\n a %0\nblock\n b <- %0\n");
  EXPECT_THAT(after(list, 2), ElementsAre(1));
}

} // namespace
} // namespace kerncast::tasklist
