// Predicates that guard, and branches, keep a warp longer than results do.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using tasklist::ValueClass;

configs::Gpu gpu_of_guards(double guard_latency, double branch_latency = 0) {
  auto rows = tiny_rows();
  rows.push_back(row({"selp"}, {on(alu, 6)}));
  configs::Gpu gpu = tiny_gpu(rows);
  gpu.guard_latency = guard_latency;
  gpu.branch_latency = branch_latency;
  return gpu;
}

// A value, the comparison into %0, and what reads that.
ListWriter comparing() {
  ListWriter w;
  w.block();
  w.add("add.s32", {1}, {});
  w.add("setp.lt.s32", {0}, {1});
  w.list.value_classes = {ValueClass::predicate, ValueClass::b32, ValueClass::b32, ValueClass::predicate};
  return w;
}

// Of the program's second task.
double latency_of_comparison(ListWriter w, double guard_latency) {
  w.add("st.global.u32", {}, {1, 2}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  const auto program = annotate(w.list, gpu_of_guards(guard_latency));
  if (program)
    for (const MachineOp& op : program->ops)
      if (op.task == 1)
        return op.latency;
  ADD_FAILURE() << "no comparison";
  return 0;
}

TEST(ControlLatencies, a_guard_is_there_later) {
  ListWriter w = comparing();
  w.add("add.s32", {2}, {1, 0}).predicated = true;
  EXPECT_EQ(latency_of_comparison(w, 12), 12);
  EXPECT_EQ(latency_of_comparison(w, 0), 6);
  EXPECT_EQ(latency_of_comparison(w, 3), 6); // never earlier than a result
}

TEST(ControlLatencies, an_operand_is_not) {
  ListWriter w = comparing();
  w.add("selp.b32", {2}, {1, 1, 0});
  EXPECT_EQ(latency_of_comparison(w, 12), 6);
}

// %3 is compared anew under %0, and may stay as it was; or %0 itself.
TEST(ControlLatencies, a_guard_is_in_front_of_what_a_comparison_leaves) {
  ListWriter w = comparing();
  w.add("setp.lt.s32", {3}, {1, 0, 3}).predicated = true;
  EXPECT_EQ(latency_of_comparison(w, 12), 12);
  ListWriter itself = comparing();
  itself.add("setp.lt.s32", {0}, {1, 0}).predicated = true;
  EXPECT_EQ(latency_of_comparison(itself, 12), 12);
}

// The datum has two halves: the guard is another operand of the operation than of the task.
TEST(ControlLatencies, of_a_store_is_found_behind_its_data) {
  ListWriter w = comparing();
  w.list.value_classes.push_back(ValueClass::b64);
  w.add("mov.b64", {4}, {1, 1});
  w.add("st.global.u64", {}, {1, 4, 0}, TaskKind::store).predicated = true;
  EXPECT_EQ(latency_of_comparison(w, 12), 12);
}

// A copy of %0 guards.
TEST(ControlLatencies, follow_copies) {
  ListWriter w = comparing();
  w.add("mov.pred", {3}, {0});
  w.add("add.s32", {2}, {1, 3}).predicated = true;
  EXPECT_EQ(latency_of_comparison(w, 12), 12);
}

TEST(ControlLatencies, a_stated_latency_stays) {
  ListWriter w = comparing();
  w.add("add.s32", {2}, {1, 0}).predicated = true;
  w.list.stated_latency = {0, 7, 0, 0, 0};
  EXPECT_EQ(latency_of_comparison(w, 12), 7);
}

TEST(ControlLatencies, of_two_predicates_the_last_one_guards) {
  ListWriter w = comparing();
  w.add("setp.gt.s32", {3}, {1});
  w.add("selp.b32", {2}, {1, 1, 0, 3}).predicated = true;
  EXPECT_EQ(latency_of_comparison(w, 12), 6);
}

// Two values, setp, @p bra over too many additions for if-conversion; st.
MachineProgram branching(const configs::Gpu& gpu) {
  auto program = annotate(skipping("add.s32", 21).list, gpu);
  EXPECT_TRUE(program);
  return program ? std::move(*program) : MachineProgram{};
}

constexpr std::uint32_t comparison = 2, branch = 3;

TEST(ControlLatencies, the_block_behind_a_branch_waits_for_it) {
  const MachineProgram program = branching(gpu_of_guards(12, 5));
  ASSERT_EQ(program.blocks.size(), 3U);
  ASSERT_EQ(program.ops[branch].task_kind, TaskKind::branch);
  EXPECT_EQ(program.ops[comparison].latency, 12);
  EXPECT_EQ(program.ops[branch].latency, 5);
  EXPECT_TRUE(waits_for(program, program.blocks[1].first_op).contains(branch));
  EXPECT_TRUE(waits_for(program, program.blocks[2].first_op).contains(branch));
  EXPECT_FALSE(waits_for(program, program.blocks[1].first_op + 1).contains(branch));
}

TEST(ControlLatencies, without_a_latency_nothing_waits_for_a_branch) {
  const MachineProgram program = branching(gpu_of_guards(0));
  ASSERT_EQ(program.blocks.size(), 3U);
  EXPECT_EQ(program.ops[comparison].latency, 6);
  EXPECT_FALSE(waits_for(program, program.blocks[1].first_op).contains(branch));
}

} // namespace
} // namespace kerncast::machine::testing
