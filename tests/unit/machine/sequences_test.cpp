// What a row with several machine operations becomes: order, waiting, temporaries.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Task;
using tasklist::TaskKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> latencies(const MachineProgram& program) {
  std::vector<double> result;
  for (const MachineOp& op : program.ops)
    result.push_back(op.latency);
  return result;
}

TEST(Sequence, serial_operations_each_wait_for_the_one_before) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("mul.s32", {1}, {0});
  w.add("add.s32", {2}, {1});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  // add; mul's two steps; add
  EXPECT_THAT(latencies(*program), ElementsAre(6, 5, 8, 6));
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(1));
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(2));
}

TEST(Sequence, the_first_of_parallel_operations_waits_for_all_and_each_writes_the_result) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("and.b64", {1}, {0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 3u);
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  EXPECT_THAT(waits_for(*program, 2), IsEmpty());
  EXPECT_EQ(program->destinations(program->ops[1])[0], program->destinations(program->ops[2])[0]);
}

// alu 4, then in parallel fpu 9, alu 3 and two fpu 7: the group's slowest comes last, so that the result is
// ready when all are.
TEST(Sequence, of_a_last_parallel_group_the_slowest_operation_is_last) {
  ListWriter w;
  w.add("div.f32", {0}, {});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(latencies(*program), ElementsAre(4, 3, 7, 7, 9));
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  for (std::uint32_t i = 2; i < 5; ++i)
    EXPECT_THAT(waits_for(*program, i), IsEmpty());
}

TEST(Sequence, unit_and_issue_interval_come_from_the_row) {
  ListWriter w;
  w.add("div.f32", {0}, {});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops[0].unit, alu);
  EXPECT_EQ(program->ops[4].unit, fpu);
  EXPECT_EQ(program->ops[4].issue_interval, 2);
}

// Both halves of x = x & y read x before either is written.
TEST(Sequence, parallel_operations_do_not_wait_for_each_other_when_a_result_is_an_operand) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("and.b64", {0}, {0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  EXPECT_THAT(waits_for(*program, 2), IsEmpty());
}

TEST(Sequence, a_guarded_result_also_waits_for_the_value_it_may_leave) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("setp.s32", {1}, {});
  w.add("mul.s32", {0}, {1}).predicated = true;
  w.add("add.s32", {2}, {0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(0, 1));
  EXPECT_THAT(waits_for(*program, 4), ElementsAre(3));
}

TEST(Sequence, a_guarded_first_result_waits_for_no_stranger) {
  ListWriter w;
  w.add("setp.s32", {0}, {});
  w.add("add.s32", {1}, {});
  w.add("add.s32", {2}, {1});
  w.add("add.s32", {3}, {0}).predicated = true; // may take the register of value 1
  w.add("add.s32", {4}, {2, 3});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(0));
}

TEST(Sequence, every_task_has_its_operations_in_the_order_of_the_text) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("mul.s32", {1}, {0});
  w.add("bra", {}, {}, TaskKind::branch);
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(program->assumptions, IsEmpty());
}

TEST(Sequence, blocks_keep_their_numbers_even_when_they_are_empty) {
  ListWriter w;
  w.block({1});
  w.add("mov.u32", {0}, {});
  w.block({2});
  w.add("mul.s32", {1}, {0});
  w.block();
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->blocks.size(), 3u);
  EXPECT_EQ(program->blocks[0].op_count, 0u);
  EXPECT_EQ(program->blocks[1].op_count, 2u);
  EXPECT_EQ(program->blocks[2].op_count, 0u);
}

} // namespace
} // namespace kerncast::machine::testing
