// Operations without a row are errors, one each; --assume-unknown charges and names them.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using ::testing::ElementsAre;

ListWriter list_with_unknown_operations() {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("frob.s32", {1}, {0});
  w.add("frob.s32", {2}, {1});
  w.add("twist.b32", {3}, {2});
  return w;
}

TEST(UnknownOperation, is_one_located_error_per_operation_with_the_next_step) {
  const auto program = annotate(list_with_unknown_operations().list, tiny_gpu());
  ASSERT_FALSE(program);
  EXPECT_EQ(
      render(program.error()),
      "k.ptx:11:1: error: kernel 'k': operation 'frob.s32' (2 tasks) has no machine operations on 'tiny'\n"
      "k.ptx:11:1: note: add a row to configs/isa/tiny.toml or pass --assume-unknown CLASS\n"
      "k.ptx:13:1: error: kernel 'k': operation 'twist.b32' (1 task) has no machine operations on 'tiny'\n"
      "k.ptx:13:1: note: add a row to configs/isa/tiny.toml or pass --assume-unknown CLASS\n");
}

TEST(UnknownOperation, is_charged_to_the_assumed_unit_and_named_with_its_count) {
  const auto program = annotate(list_with_unknown_operations().list, tiny_gpu(), {.assume_unknown = "fpu"});
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 4u);
  EXPECT_EQ(program->ops[1].unit, fpu);
  EXPECT_EQ(program->ops[1].latency, 6);
  EXPECT_THAT(
      program->assumptions,
      ElementsAre(
          "operation 'frob.s32' (2 tasks) has no row in configs/isa/tiny.toml: charged to unit 'fpu'",
          "operation 'twist.b32' (1 task) has no row in configs/isa/tiny.toml: charged to unit 'fpu'"));
}

TEST(UnknownOperation, an_unknown_unit_class_gets_a_suggestion) {
  const auto program = annotate(list_with_unknown_operations().list, tiny_gpu(), {.assume_unknown = "alo"});
  ASSERT_FALSE(program);
  EXPECT_EQ(render(program.error()),
            "error: GPU 'tiny' has no unit class 'alo' to charge unknown operations to\n"
            "note: did you mean 'alu'?\n");
}

TEST(UnknownOperation, operations_that_no_task_uses_need_no_row) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.list.operations.push_back("frob.s32");
  EXPECT_TRUE(annotate(w.list, tiny_gpu()));
}

TEST(GuessedRow, is_named_with_its_reason_when_the_program_uses_it) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows[0].is_guess = true;
  rows[0].guess = "as on unit";
  rows[1].is_guess = true;
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {0});
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  EXPECT_THAT(program->assumptions,
              ElementsAre("ISA row 'add.s32' (tiny.toml:7) is a guess (as on unit); 2 tasks use it"));
}

} // namespace
} // namespace kerncast::machine::testing
