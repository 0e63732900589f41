// What the registers that a kernel may use cannot hold goes through local memory.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<MachineOp> local_accesses(const MachineProgram& program) {
  std::vector<MachineOp> found;
  for (const MachineOp& op : program.ops)
    if (op.space == Space::local)
      found.push_back(op);
  return found;
}

// 40 values at once and four registers for the compiler, 32 allowed: 12 values are stored once and loaded
// once.
TEST(Spills, each_value_too_many_is_stored_once_and_loaded_for_its_one_reader) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  const auto spills = local_accesses(*program);
  EXPECT_EQ(spills.size(), 24u);
  EXPECT_EQ(std::ranges::count(spills, TaskKind::store, &MachineOp::task_kind), 12);
  EXPECT_EQ(program->ops.size(), 80u + 24u);
  EXPECT_THAT(
      program->assumptions,
      ElementsAre("about 44 registers are needed and .maxnreg allows 32: 48 bytes per thread are spilled "
                  "(12 stores and 12 loads of local memory in the code)"));
}

// The block's own 40 stores have the numbers 0 to 39.
TEST(Spills, have_the_numbers_behind_their_blocks_own_accesses) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  std::uint16_t next = 40;
  for (const MachineOp& op : local_accesses(*program)) {
    EXPECT_EQ(op.access, next++);
    EXPECT_EQ(op.access_bytes, 4);
    EXPECT_EQ(op.kind, OpKind::memory);
  }
}

TEST(Spills, a_kernel_with_registers_enough_has_none) {
  const auto program = annotate(values_needed_together(40).list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(local_accesses(*program), IsEmpty());
  EXPECT_THAT(program->assumptions, IsEmpty());
}

// 31 of the 32 that the kernel may use, although the estimate finds 44.
TEST(Spills, a_compiler_that_used_fewer_registers_than_it_may_had_none) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  AnnotateOptions options;
  const auto spills_with = [&](std::uint32_t stated) {
    options.stated_registers = stated;
    return local_accesses(annotate(w.list, tiny_gpu(), options).value()).size();
  };
  EXPECT_EQ(spills_with(31), 0u);
  EXPECT_EQ(spills_with(32), 24u);
}

// 255 registers would do for the estimate; the compiler is known to store 48 bytes, or none although 32 do
// not do.
TEST(Spills, are_as_many_as_the_compiler_is_known_to_have_made) {
  AnnotateOptions options;
  options.stated_spill_bytes = 48;
  const auto program = annotate(values_needed_together(40).list, tiny_gpu(), options);
  ASSERT_TRUE(program);
  EXPECT_EQ(std::ranges::count(local_accesses(*program), TaskKind::store, &MachineOp::task_kind), 12);
  EXPECT_THAT(
      program->assumptions,
      ElementsAre("48 bytes of spill stores per thread are given, 48 are predicted; which values, in 12 "
                  "stores and 12 loads of the code, is estimated"));
  options.stated_spill_bytes = 1000; // there are 40 values
  EXPECT_THAT(
      annotate(values_needed_together(40).list, tiny_gpu(), options)->assumptions,
      ElementsAre(::testing::StartsWith("1000 bytes of spill stores per thread are given, 160 are ")));
  ListWriter narrow = values_needed_together(40);
  narrow.list.max_registers = 32;
  options.stated_spill_bytes = 0;
  const auto unspilled = annotate(narrow.list, tiny_gpu(), options);
  ASSERT_TRUE(unspilled);
  EXPECT_THAT(local_accesses(*unspilled), IsEmpty());
  EXPECT_THAT(unspilled->assumptions, IsEmpty());
}

TEST(Spills, can_be_left_out_to_see_their_effect) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  AnnotateOptions options;
  ASSERT_TRUE(leave_out(options, "spills"));
  const auto program = annotate(w.list, tiny_gpu(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(local_accesses(*program), IsEmpty());
  EXPECT_THAT(program->assumptions,
              ElementsAre("about 44 registers are needed and .maxnreg allows 32: spills are left out"));
}

// Ten values that the loop reads in each trip and ten that are only read behind it, one too many: of the
// latter one is stored in front of the loop and loaded behind it, nothing in between.
TEST(Spills, values_that_only_pass_a_loop_go_first) {
  ListWriter w;
  w.block({1});
  for (tasklist::ValueId v = 0; v < 20; ++v)
    w.add("add.s32", {v}, {});
  w.block({1, 2});
  for (tasklist::ValueId v = 0; v < 10; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  w.block();
  for (tasklist::ValueId v = 10; v < 20; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  w.list.loops = {{.header = 1, .parent = tasklist::no_id, .blocks = {1}}};
  w.list.max_registers = 20 + 4 - 1;
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->blocks[0].op_count, 21u);
  EXPECT_EQ(program->blocks[1].op_count, 10u);
  EXPECT_EQ(program->blocks[2].op_count, 11u);
}

// The same value read twice, three operations apart: one load serves both.
TEST(Spills, readers_close_together_share_a_load) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 10; ++v)
    w.add("add.s32", {v}, {});
  for (std::uint32_t i = 0; i < 20; ++i)
    w.add("mul.s32", {10 + i}, {});
  for (tasklist::ValueId v = 0; v < 10; ++v) {
    w.add("st.global.f32", {}, {v}, TaskKind::store);
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  }
  w.list.max_registers = 12;
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  const auto spills = local_accesses(*program);
  EXPECT_GT(spills.size(), 0u);
  EXPECT_EQ(std::ranges::count(spills, TaskKind::load, &MachineOp::task_kind),
            std::ranges::count(spills, TaskKind::store, &MachineOp::task_kind));
}

} // namespace
} // namespace kerncast::machine::testing
