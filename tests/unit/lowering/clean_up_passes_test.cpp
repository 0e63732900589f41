// Each clean-up pass removes what ptxas removes on every GPU, and nothing else.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Parameter folding

TEST(ParameterFolding, turns_ld_param_into_a_constant_operand) {
  const auto list = lower_body("ld.param.u32 %r1, [n];\n"
                               "mov.u32 %r2, %tid.x;\n"
                               "mul.lo.s32 %r3, %r2, %r1;\n"
                               "st.global.u32 [%d9], %r3;");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "mul.lo.s32", "st.global.u32"));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(2)); // the parameter has no producer
}

TEST(ParameterFolding, turns_constant_memory_at_a_known_place_into_an_operand) {
  const auto list = lower_module(kernel("ld.const.f32 %f1, [c+12];\n"
                                        "mul.f32 %f3, %f2, %f1;\n"
                                        "mul.wide.u32 %d1, %r1, 4;\n"
                                        "mov.u64 %d2, c;\n"
                                        "add.s64 %d3, %d2, %d1;\n"
                                        "ld.const.f32 %f4, [%d3];\n"
                                        "st.global.v2.f32 [%d9], {%f3, %f4};",
                                        ".const .align 4 .f32 c[8];"));
  EXPECT_THAT(operations(list),
              ElementsAre("mul.f32", "mul.wide.u32", "add.s64", "ld.const.f32", "st.global.v2.f32"));
  EXPECT_THAT(list.constants, ::testing::Contains("c[c+12]"));
}

TEST(ParameterFolding, keeps_loads_under_a_guard_and_of_registers_written_twice) {
  const auto list = lower_body("ld.param.u32 %r1, [n];\n"
                               "setp.eq.s32 %p1, %r2, 0;\n"
                               "@%p1 ld.param.u32 %r1, [p];\n"
                               "st.global.u32 [%d9], %r1;");
  EXPECT_THAT(operations(list), ElementsAre("ld.param.u32", "setp.eq.s32", "ld.param.u32", "st.global.u32"));
}

TEST(ParameterFolding, keeps_parameters_read_at_a_computed_address) {
  const auto list = lower_body("mov.b64 %d1, p;\n"
                               "ld.param.u32 %r1, [%d1+8];\n"
                               "st.global.u32 [%d9], %r1;");
  EXPECT_THAT(operations(list), ElementsAre("ld.param.u32", "st.global.u32"));
}

TEST(ConstantFolding, makes_immediates_operands_and_remembers_them) {
  const auto list = lower_body("mov.u32 %r1, 7;\nst.global.u32 [%d9], %r1;");
  EXPECT_THAT(operations(list), ElementsAre("st.global.u32"));
  EXPECT_THAT(list.constants, ElementsAre("7"));
  EXPECT_EQ(list.tasks[0].constants.count, 1u);
  EXPECT_THAT(operations(lower_body("mov.u32 %r1, 0;\nst.global.u32 [%d9], %r1;")),
              ElementsAre("st.global.u32"));
  EXPECT_THAT(operations(lower_body("mov.u32 %r1, 7;\nadd.s32 %r2, %r3, %r1;\nst.global.u32 [%d9], %r2;")),
              ElementsAre("add.s32", "st.global.u32"));
}

// Rounding leaves 0 as it is; three is an f32 that nobody works out here.
TEST(ConstantFolding, knows_what_zero_becomes) {
  EXPECT_THAT(operations(lower_body("mov.u32 %r1, 0;\ncvt.rn.f32.s32 %f1, %r1;\nst.global.f32 [%d9], %f1;")),
              ElementsAre("st.global.f32"));
  EXPECT_THAT(operations(lower_body("mov.u32 %r1, 3;\ncvt.rn.f32.s32 %f1, %r1;\nst.global.f32 [%d9], %f1;")),
              ElementsAre("cvt.rn.f32.s32", "st.global.f32"));
}

TEST(ConstantFolding, names_parameters_by_their_place_and_launch_constants_by_name) {
  // p takes bytes 0 to 7, n lies at 8.
  const auto list = lower_body("ld.param.u32 %r1, [n];\n"
                               "mov.u32 %r2, %ntid.x;\n"
                               "mad.lo.s32 %r3, %r1, %r2, 5;\n"
                               "st.global.u32 [%d9], %r3;");
  EXPECT_THAT(operations(list), ElementsAre("mad.lo.s32", "st.global.u32"));
  EXPECT_THAT(list.constants, ElementsAre("5", "c[8]", "c[ntid.x]"));
}

TEST(ConstantFolding, keeps_special_registers_and_start_values_of_loops) {
  const auto list = lower_body("mov.u32 %r1, 0;\n"
                               "mov.u32 %r2, %clock;\n"
                               "LOOP: add.s32 %r1, %r1, %r2;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra LOOP;");
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32", "mov.u32.special.clock", "add.s32", "setp.lt.s32", "bra"));
}

// Copy propagation

TEST(CopyPropagation, reads_through_mov_cvta_and_equal_width_conversions) {
  const auto list = lower_body("ld.param.u64 %d1, [p];\n"
                               "cvta.to.global.u64 %d2, %d1;\n"
                               "mov.u32 %r1, %tid.x;\n"
                               "mov.b32 %r2, %r1;\n"
                               "cvt.s32.u32 %r3, %r2;\n"
                               "mul.wide.s32 %d3, %r3, 4;\n"
                               "add.s64 %d4, %d2, %d3;\n"
                               "st.global.u32 [%d4], %r3;");
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32.special.tid.x", "mul.wide.s32", "add.s64", "st.global.u32"));
  EXPECT_THAT(after_lines(list, 6), ElementsAre(3));
  EXPECT_THAT(after_lines(list, 8), ElementsAre(3, 7));
}

TEST(CopyPropagation, keeps_conversions_that_change_bits) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "cvt.u64.u32 %d1, %r1;\n"
                               "cvt.rn.f32.s32 %f1, %r1;\n"
                               "cvt.sat.s32.s32 %r2, %r1;\n"
                               "st.global.v2.b32 [%d1], {%f1, %r2};");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "cvt.u64.u32", "cvt.rn.f32.s32",
                                            "cvt.sat.s32.s32", "st.global.v2.b32"));
}

TEST(CopyPropagation, keeps_the_old_value_that_outlives_its_register) {
  // %r2 holds the counter before it is increased: the copy is real.
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "LOOP: mov.u32 %r2, %r1;\n"
                               "add.s32 %r1, %r1, 1;\n"
                               "st.global.u32 [%d9], %r2;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra LOOP;");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "mov.u32", "add.s32", "st.global.u32",
                                            "setp.lt.s32", "bra"));
  EXPECT_THAT(after_lines(list, 4), ElementsAre(2));
}

TEST(CopyPropagation, reads_a_loop_variable_through_a_copy_that_ends_before_it_changes) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "LOOP: mov.u32 %r2, %r1;\n"
                               "st.global.u32 [%d9], %r2;\n"
                               "add.s32 %r1, %r2, 1;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra LOOP;");
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32.special.tid.x", "st.global.u32", "add.s32", "setp.lt.s32", "bra"));
  EXPECT_THAT(after_lines(list, 3), ElementsAre(1, 4));
}

TEST(CopyPropagation, keeps_copies_into_registers_that_join_values) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "mov.u32 %r3, %tid.y;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "mov.u32 %r2, %r1;\n"
                               "@%p1 bra END;\n"
                               "mov.u32 %r2, %r3;\n"
                               "END: st.global.u32 [%d9], %r2;");
  EXPECT_THAT(after_lines(list, 7), ElementsAre(4, 6));
}

// Address folding

TEST(AddressFolding, moves_constants_into_the_memory_instruction) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "cvt.u64.u32 %d1, %r1;\n"
                               "add.s64 %d2, %d1, 16;\n"
                               "add.s64 %d3, %d2, -8;\n"
                               "ld.global.u32 %r2, [%d2];\n"
                               "st.global.u32 [%d3+4], %r2;");
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32.special.tid.x", "cvt.u64.u32", "ld.global.u32", "st.global.u32"));
  EXPECT_THAT(after_lines(list, 5), ElementsAre(2));
  EXPECT_THAT(after_lines(list, 6), ElementsAre(2, 5));
}

// The pointer's steps of a loop that is written out: nobody reads the last.
TEST(AddressFolding, goes_through_a_chain_that_ends_with_a_dead_sum) {
  const auto list = lower_body("mov.b64 %d1, %clock64;\n"
                               "ld.global.u32 %r1, [%d1];\n"
                               "add.s64 %d2, %d1, 128;\n"
                               "st.global.u32 [%d2], %r1;\n"
                               "add.s64 %d3, %d2, 128;");
  EXPECT_THAT(operations(list), ElementsAre("mov.b64.special.clock64", "ld.global.u32", "st.global.u32"));
}

// (tid + 3) * 4 + n and (tid - 2) * 4 + n: both accesses add their constant to tid * 4 + n.
TEST(AddressFolding, takes_constants_out_of_products_and_sums) {
  const auto around = [](const std::string& multiply) {
    return operations(lower_body("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                                 "add.s32 %r3, %r1, 3;\n" +
                                 multiply +
                                 " %r4, %r3, 4;\n"
                                 "add.s32 %r5, %r4, %r2;\nld.shared.u32 %r6, [%r5];\n"
                                 "sub.s32 %r7, %r1, 2;\n" +
                                 multiply +
                                 " %r8, %r7, 4;\n"
                                 "add.s32 %r9, %r8, %r2;\nst.shared.u32 [%r9], %r6;"));
  };
  EXPECT_THAT(around("shl.b32"), ElementsAre("mov.u32.special.tid.x", "mov.u32.special.ctaid.x", "shl.b32",
                                             "add.s32", "ld.shared.u32", "st.shared.u32"));
  EXPECT_THAT(around("mul.lo.s32"), ElementsAre("mov.u32.special.tid.x", "mov.u32.special.ctaid.x",
                                                "mul.lo.s32", "add.s32", "ld.shared.u32", "st.shared.u32"));
  EXPECT_EQ(around("mul.hi.s32").size(), 10U);
}

// Of a store to what `then` makes, in %d3, of a sum with that number.
std::size_t operations_at(const std::string& added, const std::string& then) {
  return operations(lower_body("mov.b64 %d1, %clock64;\nadd.s64 %d2, %d1, " + added + ";\n" + then +
                               "\nst.global.u32 [%d3], %r1;"))
      .size();
}

// What a thread cannot wrap around in, but could the compiler.
TEST(AddressFolding, keeps_numbers_beyond_all_offsets) {
  const auto list = lower_body("mov.b64 %d1, %clock64;\nsub.s64 %d2, %d1, -9223372036854775808;\n"
                               "shl.b64 %d3, %d2, 22;\nadd.s64 %d4, %d3, 8;\nshl.b64 %d5, %d4, 22;\n"
                               "add.s64 %d6, %d5, 8;\nshl.b64 %d7, %d6, 20;\nst.global.u32 [%d7], %r1;");
  EXPECT_EQ(operations(list).size(), 8U);
}

TEST(AddressFolding, keeps_sums_that_saturate) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\nadd.sat.s32 %r2, %r1, 16;\nst.shared.u32 [%r2], %r1;");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "add.sat.s32", "st.shared.u32"));
}

// 8,000,000 fits the field, twice that does not.
TEST(AddressFolding, counts_a_register_that_is_read_twice_twice) {
  EXPECT_EQ(operations_at("8000000", "add.s64 %d3, %d2, %d2;"), 4U);
  EXPECT_EQ(operations_at("4000000", "add.s64 %d3, %d2, %d2;"), 3U);
}

// One reader multiplies the sum, the other does not.
TEST(AddressFolding, keeps_a_constant_that_counts_differently_for_its_readers) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\nadd.s32 %r3, %r1, 16;\nshl.b32 %r4, %r3, 2;\n"
                               "ld.shared.u32 %r6, [%r4];\nst.shared.u32 [%r3], %r6;");
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32.special.tid.x", "add.s32", "shl.b32", "ld.shared.u32", "st.shared.u32"));
}

TEST(AddressFolding, keeps_a_multiplied_constant_beyond_the_field) {
  EXPECT_EQ(operations_at("1048575", "shl.b64 %d3, %d2, 3;"), 3U);
  EXPECT_EQ(operations_at("1048576", "shl.b64 %d3, %d2, 3;"), 4U);
}

TEST(AddressFolding, keeps_sums_that_are_used_otherwise) {
  const auto list = lower_body("mov.b64 %d1, %clock64;\n"
                               "add.s64 %d2, %d1, 16;\n"
                               "st.global.u64 [%d2], %d2;");
  EXPECT_THAT(operations(list), ElementsAre("mov.b64.special.clock64", "add.s64", "st.global.u64"));
}

TEST(AddressFolding, keeps_constants_beyond_the_24_bits_of_the_field) {
  // 0x7fffff = 2^23 - 1 fits, one more does not; the offsets of add and access count together.
  const auto with = [](const std::string& added, const std::string& offset) {
    return operations(lower_body("mov.b64 %d1, %clock64;\nadd.s64 %d2, %d1, " + added +
                                 ";\nst.global.u32 [%d2" + offset + "], %r1;"))
        .size();
  };
  EXPECT_EQ(with("8388607", ""), 2U);
  EXPECT_EQ(with("8388608", ""), 3U);
  EXPECT_EQ(with("8388607", "+1"), 3U);
  EXPECT_EQ(with("-8388608", ""), 2U);
  EXPECT_EQ(with("-8388608", "+-1"), 3U);
}

TEST(AddressFolding, keeps_the_add_when_its_base_moves_on_before_the_access) {
  const auto list = lower_body("mov.b64 %d1, %clock64;\n"
                               "LOOP: add.s64 %d2, %d1, 16;\n"
                               "add.s64 %d1, %d1, 64;\n"
                               "st.global.u64 [%d2], %d1;\n"
                               "setp.lt.s64 %p1, %d1, 0;\n"
                               "@%p1 bra LOOP;");
  EXPECT_THAT(after_lines(list, 4), ElementsAre(2, 3));
}

// Common address arithmetic

TEST(CommonArithmetic, is_computed_once) {
  // Two addresses of one index: the second add and product are the first ones.
  const std::string body = "mov.u32 %r1, %tid.x;\n"
                           "add.s32 %r2, %r1, 7;\n"
                           "mul.wide.s32 %d1, %r2, 4;\n"
                           "ld.global.u32 %r4, [%d1];\n"
                           "add.s32 %r3, %r1, 7;\n"
                           "mul.wide.s32 %d2, %r3, 4;\n"
                           "st.global.u32 [%d2+4], %r4;";
  const auto list = lower_body(body);
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "add.s32", "mul.wide.s32",
                                            "ld.global.u32", "st.global.u32"));
  EXPECT_THAT(after_lines(list, 7), ElementsAre(3, 4));
  EXPECT_EQ(lower_body(body, {.share_arithmetic = false}).tasks.size(), 7u);
}

// ptxas 13.0 keeps what it has read, into loops as well; what changes is read again, as is what was read on
// another way only.
TEST(SpecialRegisters, that_stay_the_same_are_read_once) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\nst.shared.u32 [%r1], %r1;\nLOOP:\n"
                               "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\nst.shared.u32 [%r2], %r3;\n"
                               "setp.lt.u32 %p1, %r1, %r9;\n@%p1 bra LOOP;");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "st.shared.u32", "mov.u32.special.tid.y",
                                            "st.shared.u32", "setp.lt.u32", "bra"));
}

TEST(SpecialRegisters, that_change_are_read_again) {
  const auto list = lower_body("mov.u32 %r1, %clock;\nst.shared.u32 [%r1], %r1;\n"
                               "mov.u32 %r2, %clock;\nst.shared.u32 [%r2], %r2;");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.clock", "st.shared.u32", "mov.u32.special.clock",
                                            "st.shared.u32"));
}

TEST(SpecialRegisters, read_on_one_way_only_are_read_again) {
  const auto list =
      lower_body("setp.lt.u32 %p1, %r8, %r9;\n@%p1 bra END;\nmov.u32 %r1, %tid.x;\n"
                 "st.shared.u32 [%r1], %r1;\nEND:\nmov.u32 %r2, %tid.x;\nst.shared.u32 [%r2], %r2;");
  EXPECT_THAT(operations(list), ElementsAre("setp.lt.u32", "bra", "mov.u32.special.tid.x", "st.shared.u32",
                                            "mov.u32.special.tid.x", "st.shared.u32"));
}

TEST(CommonArithmetic, has_conversions_but_no_sums_of_floats) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\ncvt.rn.f32.s32 %f1, %r1;\ncvt.rn.f32.s32 %f2, %r1;\n"
                               "add.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f1, %f2;\n"
                               "st.global.v2.f32 [%d9], {%f3, %f4};");
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "cvt.rn.f32.s32", "add.f32", "add.f32",
                                            "st.global.v2.f32"));
}

TEST(CommonArithmetic, is_not_that_of_other_constants_signs_or_registers) {
  const auto tasks = [](const std::string& other) {
    const auto list = lower_body("mov.u32 %r1, %tid.x;\nmov.u32 %r5, %tid.y;\nshr.u32 %r2, %r1, 3;\n" +
                                 other + "\nst.global.v2.u32 [%d9], {%r2, %r3};");
    return list.tasks.size();
  };
  EXPECT_EQ(tasks("shr.u32 %r3, %r1, 3;"), 3u); // a special register, one shift and the store
  EXPECT_EQ(tasks("shr.u32 %r3, %r1, 4;"), 4u);
  EXPECT_EQ(tasks("shr.s32 %r3, %r1, 3;"), 4u);
  EXPECT_EQ(tasks("shr.u32 %r3, %r5, 3;"), 5u); // two special registers
}

TEST(CommonArithmetic, needs_the_first_on_every_way) {
  // The body that the branch may skip computes it first, and then its own sum is what stays.
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "setp.eq.s32 %p1, %r1, 0;\n"
                               "@%p1 bra SKIP;\n"
                               "shl.b32 %r2, %r1, 2;\n"
                               "st.global.u32 [%d9], %r2;\n"
                               "SKIP: shl.b32 %r3, %r1, 2;\n"
                               "st.global.u32 [%d9+4], %r3;");
  EXPECT_EQ(std::ranges::count(operations(list), "shl.b32"), 2);
}

TEST(CommonArithmetic, is_done_again_with_a_register_that_moves_on) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "shl.b32 %r2, %r1, 2;\n"
                               "add.s32 %r1, %r1, 1;\n"
                               "shl.b32 %r3, %r1, 2;\n"
                               "st.global.v2.u32 [%d9], {%r2, %r3};");
  EXPECT_EQ(std::ranges::count(operations(list), "shl.b32"), 2);
}

// Dead code

TEST(DeadCode, removes_what_nobody_reads_and_what_only_dead_code_reads) {
  const auto list = lower_body("mov.u32 %r1, %tid.x;\n"
                               "add.s32 %r2, %r1, 1;\n"
                               "ld.global.u32 %r3, [%d1];\n"
                               "setp.eq.s32 %p1, %r3, %r2;\n"
                               "ret;");
  EXPECT_THAT(operations(list), ElementsAre("ret"));
}

TEST(DeadCode, keeps_effects) {
  const std::string effects = "st.shared.u32 [%r1], %r2;\n"
                              "atom.global.add.u32 %r3, [%d1], 1;\n"
                              "red.global.add.u32 [%d1], 1;\n"
                              "ld.volatile.global.u32 %r4, [%d1];\n"
                              "ld.acquire.gpu.global.u32 %r5, [%d1];\n"
                              "bar.sync 0;\n"
                              "membar.gl;\n"
                              "shfl.sync.down.b32 %r6, %r1, 1, 31, -1;\n"
                              "cp.async.ca.shared.global [%r1], [%d1], 16;\n"
                              "cp.async.wait_all;\n"
                              "nanosleep.u32 100;\n"
                              "exit;";
  EXPECT_EQ(lower_body(effects).tasks.size(), 12U);
}

TEST(DeadCode, keeps_a_loop_variable_that_only_the_branch_reads) {
  const auto list = lower_body("mov.u32 %r1, 0;\n"
                               "LOOP: add.s32 %r1, %r1, 1;\n"
                               "setp.lt.s32 %p1, %r1, 10;\n"
                               "@%p1 bra LOOP;");
  EXPECT_EQ(list.tasks.size(), 4U);
}

TEST(DeadCode, leaves_no_branches_that_only_lead_on) {
  const auto list = lower_body("setp.eq.u64 %p1, %d1, 0;\n@%p1 bra A;\nst.global.u32 [%d1], %r1;\nbra D;\n"
                               "B: bra C;\nA: bra B;\nC: bra D;\nst.global.u32 [%d1+8], %r1;\n"
                               "D: st.global.u32 [%d1+4], %r1;");
  EXPECT_THAT(operations(list), ElementsAre("setp.eq.u64", "bra", "st.global.u32", "st.global.u32"));
}

// What falls into the last block must not come to the store, so its branch stays; and a circle stays one.
TEST(DeadCode, keeps_branches_that_something_falls_into_and_circles) {
  const auto list = lower_body("setp.eq.u64 %p1, %d1, 0;\n@%p1 bra A;\nA: bra D;\n"
                               "B: st.global.u32 [%d1], %r1;\nD: @%p1 bra B;\nbra E;\nE: bra F;\nF: bra E;");
  EXPECT_THAT(operations(list), ElementsAre("setp.eq.u64", "bra", "bra", "st.global.u32", "bra", "bra"));
}

TEST(DeadCode, empties_unreachable_blocks_and_keeps_their_instructions) {
  const auto list = lower_body("bra END;\n"
                               "st.global.u32 [%d1], %r1;\n"
                               "END: ret;");
  ASSERT_EQ(list.blocks.size(), 3U);
  EXPECT_EQ(list.blocks[1].task_count, 0U);
  EXPECT_EQ(list.blocks[1].first_instruction, 1U);
  EXPECT_EQ(list.blocks[1].instruction_count, 1U);
}

TEST(CleanUp, switched_off_keeps_one_task_per_instruction) {
  const std::string body = "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d2, %d1;\nmov.u32 %r1, 1;\n"
                           "add.s32 %r2, %r1, 1;\nret;";
  const auto list = lower_body(body, as_written);
  EXPECT_THAT(operations(list),
              ElementsAre("ld.param.u64", "cvta.to.global.u64", "mov.u32", "add.s32", "ret"));
  for (std::uint32_t i = 0; i < list.tasks.size(); ++i) {
    EXPECT_EQ(list.tasks[i].instruction, i);
  }
}

} // namespace
} // namespace kerncast::lowering
