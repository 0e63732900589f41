// A short body that a branch skips issues with the branch's block.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

// Two values; setp; @p bra over the body; the body; st.
ListWriter skipping(const std::string& body_operation, std::uint32_t body_length) {
  ListWriter w;
  w.list.target = "sm_80";
  w.block({2, 1});
  w.add("add.s32", {1}, {});
  w.add("add.s32", {2}, {});
  w.add("setp.lt.s32", {0}, {1});
  w.list.value_classes[0] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {0}, TaskKind::branch).predicated = true;
  w.block({2});
  for (std::uint32_t i = 0; i < body_length; ++i)
    w.add(body_operation, {2}, {2, 1});
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  return w;
}

std::vector<std::uint32_t> block_sizes(const MachineProgram& program) {
  std::vector<std::uint32_t> sizes;
  for (const MachineBlock& block : program.blocks)
    sizes.push_back(block.op_count);
  return sizes;
}

// Two values, setp and eight additions, no branch; nothing is left of the body's own block.
TEST(IfConversion, eight_operations_issue_in_the_block_of_the_branch) {
  const auto program = annotate(skipping("add.s32", 8).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(11, 0, 2));
}

TEST(IfConversion, the_body_waits_for_the_predicate_and_for_the_old_value) {
  const auto program = annotate(skipping("add.s32", 1).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(0, 1, 2)); // operand, old value, predicate
}

// Nobody reads the first sum where the body does not execute: it keeps nothing of what was there before, and
// waits for its operand and the predicate alone.
TEST(IfConversion, what_only_the_body_reads_is_written_anew) {
  ListWriter w = skipping("add.s32", 0);
  w.list.tasks.resize(4);
  w.list.blocks.resize(1);
  w.block({2});
  w.add("add.s32", {3}, {1});
  w.add("add.s32", {2}, {2, 3});
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(0, 1));    // operand, predicate
  EXPECT_THAT(waits_for(*program, 4), ElementsAre(1, 2, 3)); // the sum goes on: also its old value
}

// A loop of conditional additions, each of a value of its own.
ListWriter loop_of_conditions(std::uint32_t conditions) {
  ListWriter w;
  w.block({1});
  w.add("add.s32", {1}, {});
  w.add("add.s32", {2}, {});
  for (std::uint32_t c = 0; c < conditions; ++c) {
    const std::uint32_t block = 1 + 2 * c;
    w.block({block + 2, block + 1});
    w.add("setp.lt.s32", {0}, {2});
    w.add("bra", {}, {0}, TaskKind::branch).predicated = true;
    w.block({block + 2});
    w.add("add.s32", {3 + c}, {1, 1});
    w.add("add.s32", {2}, {2, 3 + c});
  }
  w.block({1, 2 * conditions + 2});
  w.add("setp.lt.s32", {0}, {2});
  w.add("bra", {}, {0}, TaskKind::branch).predicated = true;
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.value_classes.assign(3 + conditions, tasklist::ValueClass::b32);
  w.list.value_classes[0] = tasklist::ValueClass::predicate;
  return w;
}

TEST(IfConversion, values_of_bodies_do_not_live_around_their_loop) {
  const auto one = annotate(loop_of_conditions(1).list, tiny_gpu());
  const auto many = annotate(loop_of_conditions(8).list, tiny_gpu());
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->registers_estimated, many->registers_estimated);
}

TEST(IfConversion, nine_operations_stay_behind_the_branch) {
  const auto program = annotate(skipping("add.s32", 9).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(4, 9, 2));
}

TEST(IfConversion, can_be_left_out) {
  AnnotateOptions options;
  ASSERT_TRUE(leave_out(options, "if-conversion"));
  const auto program = annotate(skipping("add.s32", 1).list, tiny_gpu(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(4, 1, 2));
}

// if (a) { two additions; if (b) one more; }: setp, @p bra; add, setp, @q bra; add; the join.
ListWriter nested(TaskKind inner_kind, const std::string& inner_operation) {
  ListWriter w = skipping("add.s32", 0);
  w.list.tasks.resize(4);
  w.list.blocks.resize(1);
  w.list.blocks.front().successors = {3, 1};
  w.block({3, 2});
  w.add("add.s32", {2}, {2, 1});
  w.add("setp.lt.s32", {3}, {2});
  w.list.value_classes[3] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {3}, TaskKind::branch).predicated = true;
  w.block({3});
  w.add(inner_operation, {2}, {2, 1}, inner_kind);
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  return w;
}

// Two values, setp, add, setp, add: no branch and nothing to converge. The inner predicate takes in the outer
// one, and the inner addition waits for it, for the outer one and for both values.
TEST(IfConversion, a_condition_within_a_body_joins_it) {
  const auto program = annotate(nested(TaskKind::compute, "add.s32").list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(6, 0, 0, 2));
  EXPECT_THAT(waits_for(*program, 4), ElementsAre(2, 3));
  EXPECT_THAT(waits_for(*program, 5), ElementsAre(0, 3, 4));
}

// Two values, setp, add, setp and the load. The load is the first access of the joint visit.
TEST(IfConversion, an_access_within_two_conditions_goes_with_the_outermost_branch) {
  const auto program = annotate(nested(TaskKind::load, "ld.global.u32").list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(6, 0, 0, 2));
  ASSERT_EQ(program->joined_blocks.size(), 2u);
  EXPECT_EQ(program->joined_blocks[1].block, 2u);
  EXPECT_EQ(program->joined_blocks[1].head, 0u);
  EXPECT_EQ(program->joined_blocks[1].accesses, 1u);
}

// Both predicates are there before the first branch: of the block between the bodies nothing is left, but it
// is one of the straight line, or its visit would look like the end of it.
TEST(IfConversion, a_block_of_which_nothing_is_left_joins_too) {
  ListWriter w;
  w.list.target = "sm_80";
  w.block({2, 1});
  w.add("setp.lt.s32", {0}, {});
  w.add("setp.lt.s32", {1}, {});
  w.list.value_classes[0] = w.list.value_classes[1] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {0}, TaskKind::branch).predicated = true;
  w.block({2});
  w.add("ld.global.u32", {2}, {}, TaskKind::load);
  w.block({4, 3});
  w.add("bra", {}, {1}, TaskKind::branch).predicated = true;
  w.block({4});
  w.add("ld.global.u32", {3}, {}, TaskKind::load);
  w.block();
  w.add("st.global.u32", {}, {2, 3}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(4, 0, 0, 0, 2));
  ASSERT_EQ(program->joined_blocks.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(program->joined_blocks[i].block, i + 1);
    EXPECT_EQ(program->joined_blocks[i].head, 0u);
  }
  EXPECT_EQ(program->joined_blocks[2].accesses_before, 1u);
}

TEST(IfConversion, what_mbarriers_count_stays_behind_its_branch) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"mbarrier"}, {on(lsu, 30)}));
  rows.push_back(row({"cp"}, {on(lsu, 30)}));
  for (const auto* operation :
       {"mbarrier.try_wait.shared.b64", "cp.async.bulk.shared.global", "st.async.shared.b32"}) {
    const auto program = annotate(nested(TaskKind::load, operation).list, tiny_gpu(rows));
    ASSERT_TRUE(program);
    EXPECT_TRUE(program->joined_blocks.empty()) << operation;
  }
  const auto program = annotate(nested(TaskKind::load, "cp.async.ca.shared.global").list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->joined_blocks.empty());
}

// A load, two bodies of a load each, and what follows, in one straight line: both bodies' loads, as soon as
// their predicates are known, come before the first sum. Their accesses are numbered through.
TEST(IfConversion, accesses_of_several_bodies_are_ordered_together) {
  ListWriter w;
  w.list.target = "sm_80";
  const auto body = [&](tasklist::ValueId predicate, tasklist::ValueId loaded, tasklist::BlockId next) {
    w.add("setp.lt.s32", {predicate}, {20});
    w.list.value_classes[predicate] = tasklist::ValueClass::predicate;
    w.add("bra", {}, {predicate}, TaskKind::branch).predicated = true;
    w.block({next});
    w.add("ld.global.u32", {loaded}, {20}, TaskKind::load);
    w.add("add.s32", {loaded + 10}, {loaded, 20});
  };
  w.block({2, 1});
  w.add("ld.global.u32", {20}, {}, TaskKind::load);
  body(0, 2, 2);
  w.block({4, 3});
  body(1, 3, 4);
  w.block();
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  w.add("st.global.u32", {}, {12, 13}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  configs::Gpu gpu = tiny_gpu();
  gpu.l2.latency = 200;
  const auto program = annotate(w.list, gpu);
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(7, 0, 0, 0, 3));
  std::vector<std::uint32_t> tasks = tasks_of(*program), accesses;
  tasks.resize(7);
  for (const MachineOp& op : std::span(program->ops).first(7))
    if (op.kind == OpKind::memory)
      accesses.push_back(op.access);
  EXPECT_THAT(tasks, ElementsAre(0, 1, 5, 3, 7, 4, 8));
  EXPECT_THAT(accesses, ElementsAre(0, 1, 2));
}

} // namespace
} // namespace kerncast::machine::testing
