// Latencies of whole tasks: stated in hand-written lists, summed for the papers' form.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;

TEST(StatedLatency, replaces_the_rows_sequence_by_one_operation_on_its_unit) {
  ListWriter w;
  w.add("mul.s32", {0}, {});
  w.add("mul.s32", {1}, {0});
  w.list.stated_latency = {21, 0};
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 3u);
  EXPECT_EQ(program->ops[0].latency, 21);
  EXPECT_EQ(program->ops[0].unit, alu);
  EXPECT_EQ(program->ops[1].latency, 5);
}

TEST(StatedLatency, of_a_free_operation_makes_it_a_move_that_stays) {
  ListWriter w;
  w.add("mov.u32", {0}, {});
  w.add("add.s32", {1}, {0});
  w.list.stated_latency = {3, 6};
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 2u);
  EXPECT_EQ(program->ops[0].latency, 3);
  EXPECT_EQ(waits_for(*program, 1), std::set<std::uint32_t>{0});
}

TEST(StatedLatency, classes_of_the_papers_form_run_on_the_unit_of_a_typical_operation) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"add", "f32"}, {on(fpu, 6)}));
  rows.push_back(row({"fma", "f64"}, {on(fpu, 48)}));
  rows.push_back(row({"ex2", "approx", "f32"}, {on(alu, 6), on(lsu, 15)}));
  ListWriter w;
  for (const char* word : {"iALU", "fALU", "dALU", "SFU"})
    w.add(word, {0}, {});
  w.list.stated_latency = {6, 6, 48, 20};
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 4u);
  EXPECT_EQ(program->ops[0].unit, alu);
  EXPECT_EQ(program->ops[1].unit, fpu);
  EXPECT_EQ(program->ops[2].unit, fpu);
  EXPECT_EQ(program->ops[3].unit, lsu);
  EXPECT_EQ(program->ops[3].latency, 20);
}

// mul: 5 + 8. and.b64: max(6, 6). div: 4 + max(9, 3, 7, 7). mov: nothing.
TEST(SummedLatency, adds_serial_operations_and_takes_the_longest_of_parallel_ones) {
  ListWriter w;
  for (const char* operation : {"mul.s32", "and.b64", "div.f32", "mov.u32"})
    w.add(operation, {0}, {});
  const configs::Gpu gpu = tiny_gpu();
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[0], gpu), 13);
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[1], gpu), 6);
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[2], gpu), 13);
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[3], gpu), 0);
}

TEST(SummedLatency, is_the_stated_one_where_there_is_one) {
  ListWriter w;
  w.add("mul.s32", {0}, {});
  w.list.stated_latency = {21};
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[0], tiny_gpu()), 21);
}

TEST(SummedLatency, memory_tasks_and_unknown_operations_have_none) {
  ListWriter w;
  w.add("ld.global.f32", {0}, {}, TaskKind::load);
  w.add("frob.s32", {1}, {0});
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[0], tiny_gpu()), std::nullopt);
  EXPECT_EQ(summed_latency(w.list, w.list.tasks[1], tiny_gpu()), std::nullopt);
}

} // namespace
} // namespace kerncast::machine::testing
