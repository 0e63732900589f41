// A result is waited for through whatever operand reads it. Numbers are lines of the kernel's body.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Dependency, through_a_source_register) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "add.s32 %r2, %r1, 1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
}

TEST(Dependency, through_an_address_register) {
  const auto list = lower_body("mov.b64 %d1, 64;\n"
                               "ld.global.u32 %r1, [%d1+4];\n"
                               "st.global.u32 [%d1], %r1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1, 2));
}

TEST(Dependency, through_a_guard) {
  const auto list = lower_body("setp.eq.u32 %p1, %r1, 0;\n"
                               "@%p1 add.s32 %r2, %r3, 1;\n"
                               "@!%p1 bra END;\n"
                               "END: ret;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1));
}

TEST(Dependency, through_predicate_operands) {
  const auto list = lower_body("setp.eq.u32 %p1|%p2, %r1, 0;\n"
                               "selp.b32 %r2, %r3, %r4, %p2;\n"
                               "and.pred %p3, %p1, %p2;\n"
                               "setp.lt.and.s32 %p4, %r2, 7, !%p3;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(2, 3));
}

TEST(Dependency, through_vector_elements) {
  const auto list = lower_body("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
                               "add.s32 %r5, %r3, 1;\n"
                               "mov.u32 %r6, %tid.x;\n"
                               "st.global.v2.u32 [%d1], {%r6, %r5};\n"
                               "mov.b64 %d2, {%r5, %r6};\n"
                               "mov.b64 {%r7, _}, %d2;\n"
                               "add.s32 %r8, %r7, 0;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(2, 3));
  EXPECT_THAT(after_lines(list, 5), ElementsAre(2, 3));
  EXPECT_THAT(after_lines(list, 6), ElementsAre(5));
  EXPECT_THAT(after_lines(list, 7), ElementsAre(6));
}

TEST(Dependency, through_both_halves_of_a_destination_pair) {
  const auto list = lower_body("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\n"
                               "add.s32 %r3, %r1, 1;\n"
                               "@%p1 add.s32 %r4, %r4, 1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1));
}

TEST(Dependency, through_moves_and_conversions) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "mov.b32 %r2, %r1;\n"
                               "cvt.rn.f32.s32 %f1, %r2;\n"
                               "cvt.u16.u32 %h1, %r1;\n"
                               "neg.f32 %f2, %f1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 5), ElementsAre(3));
}

TEST(Dependency, through_the_carry_flag) {
  const auto list = lower_body("add.cc.u32 %r1, %r2, %r3;\n"
                               "addc.u32 %r4, %r5, %r6;\n"
                               "sub.cc.u32 %r7, %r2, %r3;\n"
                               "subc.u32 %r8, %r5, %r6;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(3));
}

TEST(Dependency, through_atomics_and_reductions) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "atom.global.cas.b32 %r2, [%d1], %r1, 0;\n"
                               "red.global.add.u32 [%d1], %r2;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2));
}

TEST(Dependency, through_the_operands_of_a_barrier) {
  const auto list = lower_body("mov.u32 %r1, %ntid.x;\n"
                               "setp.eq.u32 %p1, %r1, 64;\n"
                               "bar.red.popc.u32 %r2, 0, %p1;\n"
                               "bar.sync %r2, 64;",
                               as_written);
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(3));
}

TEST(Dependency, through_texture_coordinates) {
  const auto list = lower_module(".version 8.0 .target sm_80 .address_size 64 .global .texref t;\n"
                                 ".entry k() {\n"
                                 ".reg .b32 %r<9>; .reg .f32 %f<9>;\n"
                                 "mov.u32 %r1, %tid.x;\n"
                                 "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];\n"
                                 "add.f32 %f5, %f4, %f4;\n}",
                                 as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2));
}

TEST(Dependency, of_matrix_fragments_reaches_every_register) {
  const auto list =
      lower_body("mov.u32 %r6, %tid.x;\n"
                 "mov.u32 %r9, %tid.y;\n"
                 "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r6}, "
                 "{%r7}, {%f5,%f6,%f7,%r9};\n"
                 "add.f32 %f8, %f4, %f4;",
                 as_written);
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1, 2));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(3));
}

TEST(Dependency, of_a_predicated_instruction_includes_its_own_destination) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "@%p1 mov.u32 %r1, %tid.y;\n"
                               "add.s32 %r2, %r1, 1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 2), ElementsAre(1));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2)); // the select holds either value
}

TEST(Dependency, of_a_loop_is_carried_around_it) {
  const auto list = lower_body("mov.u32 %r1, 0;\n"
                               "mov.u32 %r2, 0;\n"
                               "LOOP: add.s32 %r2, %r2, %r1;\n"
                               "add.s32 %r1, %r1, 1;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra LOOP;\n"
                               "st.global.u32 [%d1], %r2;",
                               as_written);
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(1, 4));
  EXPECT_THAT(after_lines(list, 7), ElementsAre(3));
  ASSERT_EQ(list.loops.size(), 1U);
  EXPECT_EQ(list.blocks[list.loops[0].header].label, "LOOP");
}

TEST(Dependency, of_a_loop_is_also_carried_when_labels_stand_in_reverse) {
  // The body stands before its header in the text.
  const auto list = lower_body("mov.u32 %r1, 0;\n"
                               "bra HEAD;\n"
                               "BODY: add.s32 %r1, %r1, 1;\n"
                               "HEAD: setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra BODY;\n"
                               "st.global.u32 [%d1], %r1;",
                               as_written);
  EXPECT_THAT(after_lines(list, 4), ElementsAre(1, 3));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1, 3));
  ASSERT_EQ(list.loops.size(), 1U);
  EXPECT_EQ(list.blocks[list.loops[0].header].label, "HEAD");
}

TEST(Dependency, on_an_undefined_register_does_not_exist) {
  EXPECT_THAT(after_lines(lower_body("add.s32 %r2, %r1, 1;", as_written), 1), IsEmpty());
}

// Each guarded write keeps what was there, so that readers wait for the last one alone.
TEST(Dependency, on_guarded_writes_grow_with_their_number) {
  const auto dependencies = [](int writes) {
    std::string body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 9;\nmov.u32 %r2, %r1;\n";
    for (int i = 0; i < writes; ++i)
      body += "@%p1 mov.u32 %r2, %r1;\nxor.b32 %r3, %r1, %r2;\n@%p1 add.u32 %r2, %r2, 1;\n";
    return lower_body(body, as_written).dependency_pool.size();
  };
  const auto few = dependencies(100), more = dependencies(200);
  EXPECT_EQ(dependencies(400) - more, 2 * (more - few));
}

} // namespace
} // namespace kerncast::lowering
