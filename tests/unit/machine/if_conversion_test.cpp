// A short body that a branch skips issues with the branch's block.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using ::testing::ElementsAre;

std::vector<std::uint32_t> block_sizes(const MachineProgram& program) {
  std::vector<std::uint32_t> sizes;
  for (const MachineBlock& block : program.blocks)
    sizes.push_back(block.op_count);
  return sizes;
}

// Two values, setp and eight additions, no branch; nothing is left of the body's own block.
TEST(IfConversion, a_body_issues_in_the_block_of_the_branch) {
  const auto program = annotate(skipping("add.s32", 8).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(11, 0, 2));
}

// Twenty additions are short enough; with a load of what two of them read (sm_90: ULDC) they are not.
TEST(IfConversion, a_parameter_that_several_operations_read_is_one_more) {
  const auto stays = [](std::size_t second_reader, const std::vector<std::string>& rows) {
    ListWriter w = skipping("add.s32", 20);
    give_constants(w, 4, {"c[20]"});
    give_constants(w, second_reader, {"c[20]"});
    AnnotateOptions options;
    options.extras = false;
    const auto program = annotate(w.list, gpu_with(rows), options);
    return program && program->blocks[1].op_count > 0;
  };
  EXPECT_TRUE(stays(5, {"constant.uniform.b32"}));
  EXPECT_FALSE(stays(4, {"constant.uniform.b32"}));
  EXPECT_FALSE(stays(5, {}));
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

bool is_converted(const ListWriter& w) {
  const auto program = annotate(w.list, tiny_gpu());
  EXPECT_TRUE(program);
  return program && program->blocks[1].op_count == 0;
}

ListWriter in_loop(ListWriter w) {
  w.list.blocks.back().task_count -= 2;
  w.list.tasks.resize(w.list.tasks.size() - 2);
  w.add("setp.lt.s32", {0}, {2});
  w.add("bra", {}, {0}, TaskKind::branch).predicated = true;
  w.list.blocks.back().successors = {0, 3};
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.loops = {{.header = 0, .blocks = {0, 1, 2}}};
  return w;
}

ListWriter loading(ListWriter w, Space space) {
  tasklist::Task& load = w.list.tasks[4]; // the body's first
  load.kind = TaskKind::load;
  load.space = space;
  load.access = 0;
  return w;
}

TEST(IfConversion, twenty_operations_outside_of_loops) {
  EXPECT_TRUE(is_converted(skipping("add.s32", 20)));
  EXPECT_FALSE(is_converted(skipping("add.s32", 21)));
}

TEST(IfConversion, eight_operations_in_loops) {
  EXPECT_TRUE(is_converted(in_loop(skipping("add.s32", 8))));
  EXPECT_FALSE(is_converted(in_loop(skipping("add.s32", 9))));
}

TEST(IfConversion, twenty_operations_with_a_load_of_global_memory) {
  EXPECT_TRUE(is_converted(loading(in_loop(skipping("ld.u32", 20)), Space::global)));
  EXPECT_FALSE(is_converted(loading(in_loop(skipping("ld.u32", 21)), Space::global)));
  EXPECT_TRUE(is_converted(loading(in_loop(skipping("ld.u32", 8)), Space::shared)));
  EXPECT_FALSE(is_converted(loading(in_loop(skipping("ld.u32", 9)), Space::shared)));
}

// The stores have no result.
TEST(IfConversion, eight_stores_in_front_of_a_barrier) {
  const auto stores = [](std::uint32_t count, bool at_barrier) {
    ListWriter w = skipping("add.s32", 0);
    w.list.tasks.resize(4);
    w.list.blocks.resize(1);
    w.block({2});
    for (std::uint32_t i = 0; i < count; ++i)
      w.add("st.shared.u32", {}, {1, 2}, TaskKind::store).space = Space::shared;
    w.block();
    if (at_barrier)
      w.add("bar.sync", {}, {}, TaskKind::barrier);
    w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
    w.add("ret", {}, {}, TaskKind::exit);
    return w;
  };
  EXPECT_TRUE(is_converted(stores(8, true)));
  EXPECT_FALSE(is_converted(stores(9, true)));
  EXPECT_TRUE(is_converted(stores(20, false)));
}

// The body is a function that was inlined.
TEST(IfConversion, a_call_stays_behind_its_branch) {
  ListWriter w = skipping("add.s32", 3);
  w.list.calls = {"f"};
  w.list.tasks[4].call = 0;
  EXPECT_FALSE(is_converted(w));
  for (tasklist::Task& task : w.list.tasks)
    task.call = 0; // within the function
  EXPECT_TRUE(is_converted(w));
}

TEST(IfConversion, can_be_left_out) {
  AnnotateOptions options;
  ASSERT_TRUE(leave_out(options, "if-conversion"));
  const auto program = annotate(skipping("add.s32", 1).list, tiny_gpu(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(4, 1, 2));
}

// setp, @p bra; additions in a row, setp of the last, @q bra; the inner body; the join, which reads %2.
ListWriter nested(TaskKind inner_kind, const std::string& inner_operation, std::uint32_t additions = 1,
                  tasklist::ValueId sum = 4) {
  ListWriter w = skipping("add.s32", 0);
  w.list.tasks.resize(4);
  w.list.blocks.resize(1);
  w.list.blocks.front().successors = {3, 1};
  w.block({3, 2});
  for (std::uint32_t i = 0; i < additions; ++i)
    w.add("add.s32", {sum + i}, {i == 0 ? 1 : sum + i - 1});
  w.add("setp.lt.s32", {3}, {sum + additions - 1});
  w.list.value_classes[3] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {3}, TaskKind::branch).predicated = true;
  w.block({3});
  w.add(inner_operation, {2}, {2, 1}, inner_kind);
  w.block();
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  return w;
}

// Two values, setp, add, setp, add: no branch and nothing to converge. What the condition is computed from
// executes in any case; the inner addition waits for both predicates and both values.
TEST(IfConversion, a_condition_of_its_own_joins_the_one_around_it) {
  const auto program = annotate(nested(TaskKind::compute, "add.s32").list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(6, 0, 0, 2));
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 4, 1, 2, 5, 7, 8, 9));
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  EXPECT_THAT(waits_for(*program, 4), ElementsAre(1));
  EXPECT_THAT(waits_for(*program, 5), ElementsAre(0, 2, 3, 4));
}

TEST(IfConversion, a_condition_of_its_own_has_five_operations) {
  const auto converted = [](std::uint32_t additions) {
    return annotate(nested(TaskKind::compute, "add.s32", additions).list, tiny_gpu())->blocks[1].op_count ==
           0;
  };
  EXPECT_TRUE(converted(4)); // and setp
  EXPECT_FALSE(converted(5));
}

// The sum is %2, which the join reads: it may execute only under the outer condition, which stays a branch.
TEST(IfConversion, of_nested_conditions_the_innermost_is_converted) {
  const auto program = annotate(nested(TaskKind::compute, "add.s32", 1, 2).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(block_sizes(*program), ElementsAre(4, 3, 0, 2));
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
