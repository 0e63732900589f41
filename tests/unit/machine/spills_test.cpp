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
      ElementsAre("about 44 registers are needed and .maxnreg allows 32: 48 bytes of spill stores per thread "
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

// Loads in front of a barrier for stores behind it: 300 and four are 49 more than a thread may have.
TEST(Spills, what_must_be_loaded_before_a_barrier_is_spilled) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 300; ++v)
    w.add("ld.global.f32", {v}, {}, TaskKind::load);
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  for (tasklist::ValueId v = 0; v < 300; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  w.list.target = "sm_75";
  configs::Gpu gpu = tiny_gpu();
  gpu.limits.threads_per_sm = 1024;
  const auto program = annotate(w.list, gpu);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->registers_estimated, 255u);
  EXPECT_EQ(program->spill_bytes, 49u * 4);
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

std::ptrdiff_t count(const MachineProgram& program, TaskKind kind) {
  return std::ranges::count(local_accesses(program), kind, &MachineOp::task_kind);
}

// `held` values, then a stretch of `length` operations that need `others` more at once, and their readers.
void add_stretch(ListWriter& w, tasklist::ValueId first, std::uint32_t others, std::uint32_t length) {
  for (tasklist::ValueId v = first; v < first + others; ++v)
    w.add("add.s32", {v}, {});
  for (std::uint32_t i = 0; i < length; ++i)
    w.add("add.s32", {first}, {first});
  for (tasklist::ValueId v = first; v < first + others; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
}

void add_readers(ListWriter& w, std::uint32_t held) {
  for (tasklist::ValueId v = 0; v < held; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
}

// Eight values are held over two stretches that need ten more at once; 18 and four for the compiler are
// needed.
ListWriter two_stretches(bool are_written_between) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 8; ++v)
    w.add("add.s32", {v}, {});
  add_stretch(w, 8, 10, 40);
  if (are_written_between)
    for (tasklist::ValueId v = 0; v < 8; ++v)
      w.add("add.s32", {v}, {v});
  else
    add_readers(w, 8);
  add_stretch(w, 18, 10, 40);
  add_readers(w, 8);
  w.list.max_registers = 18;
  return w;
}

configs::Gpu gpu_with_l1(double latency) {
  configs::Gpu gpu = tiny_gpu();
  gpu.l1.latency = latency;
  return gpu;
}

TEST(Spills, a_value_that_memory_has_is_not_stored_again) {
  const MachineProgram program = annotate(two_stretches(false).list, gpu_with_l1(4)).value();
  EXPECT_EQ(count(program, TaskKind::load), 8);
  EXPECT_LT(count(program, TaskKind::store), 8);
}

TEST(Spills, a_value_that_was_written_since_is_stored_again) {
  const MachineProgram program = annotate(two_stretches(true).list, gpu_with_l1(4)).value();
  EXPECT_EQ(count(program, TaskKind::load), 8);
  EXPECT_EQ(count(program, TaskKind::store), 8);
}

// From the load to the operation that needs it.
std::vector<std::uint32_t> reload_distances(const MachineProgram& program) {
  std::vector<std::uint32_t> distances;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i)
    if (program.ops[i].is_spill && program.ops[i].task_kind == TaskKind::load) {
      std::uint32_t reader = i + 1;
      while (!waits_for(program, reader).contains(i))
        ++reader;
      distances.push_back(reader - i);
    }
  return distances;
}

// As many operations ahead as L1 has cycles of latency, and the spills between.
TEST(Spills, a_value_is_loaded_so_early_that_it_is_there) {
  const auto distances = reload_distances(annotate(two_stretches(true).list, gpu_with_l1(4)).value());
  EXPECT_THAT(distances, Each(::testing::AllOf(::testing::Ge(4), ::testing::Le(4 + 16))));
}

// Where the register is needed for longer, the load comes as soon as it is free.
TEST(Spills, a_latency_that_no_gap_covers_does_not_keep_values_in_registers) {
  const MachineProgram program = annotate(two_stretches(true).list, gpu_with_l1(1000)).value();
  EXPECT_GE(count(program, TaskKind::load), 8);
  EXPECT_THAT(program.assumptions, ElementsAre(::testing::Not(::testing::HasSubstr("too many"))));
}

// Values that a guard may leave as they were stay in registers, of which the others are not enough.
TEST(Spills, registers_that_are_left_too_many_are_named) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 20; ++v)
    w.add("add.s32", {v}, {20}).predicated = v >= 2;
  add_stretch(w, 21, 2, 40);
  add_readers(w, 20);
  w.list.max_registers = 16;
  const MachineProgram program = annotate(w.list, tiny_gpu()).value();
  EXPECT_EQ(count(program, TaskKind::store), 4); // and the two of the stretch
  EXPECT_THAT(program.assumptions, ::testing::Contains(::testing::HasSubstr("registers too many")));
}

} // namespace
} // namespace kerncast::machine::testing
