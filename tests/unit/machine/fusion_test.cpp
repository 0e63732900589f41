// Two dependent operations become one where the table has a row for both.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using ::testing::ElementsAre;

// The tiny GPU with a product and sum in one: 4 cycles.
configs::Gpu gpu_with_mad() {
  auto rows = tiny_rows();
  rows.push_back(row({"fused", "mad", "lo", "s32"}, {on(alu, 4)}));
  rows.push_back(row({"fused", "mad", "wide", "s32"}, {on(alu, 4)}));
  rows.push_back(row({"mul", "wide", "s32"}, {on(alu, 5)}));
  rows.push_back(row({"add", "s64"}, {on(alu, 6), on(alu, 6)}));
  return tiny_gpu(rows);
}

TEST(Fusion, product_and_sum_are_one_operation_that_belongs_to_the_sum) {
  ListWriter w = ptx_list();
  w.add("mul.lo.s32", {2}, {0, 1});
  w.add("add.s32", {3}, {2, 1});
  w.add("add.s32", {4}, {3, 3});
  const auto program = annotate(w.list, gpu_with_mad());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(1, 2));
  EXPECT_EQ(program->ops[0].latency, 4);
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
}

// (a & b) | (~a & c): a function of three values, of which one is read twice.
TEST(Fusion, logic_of_three_values_is_one_operation) {
  const auto operations_with = [](tasklist::ValueId inverted, tasklist::ValueId last) {
    ListWriter w = ptx_list();
    w.add("and.b32", {4}, {0, 1});
    w.add("not.b32", {5}, {inverted});
    w.add("and.b32", {6}, {5, last});
    w.add("or.b32", {7}, {4, 6});
    auto rows = tiny_rows();
    for (const char* name : {"and", "or", "not"})
      rows.push_back(row({name, "b32"}, {on(alu, 4)}));
    rows.push_back(row({"fused", "lop3", "b32"}, {on(alu, 4)}));
    return annotate(w.list, tiny_gpu(rows))->ops.size();
  };
  EXPECT_EQ(operations_with(0, 2), 1u);
  EXPECT_EQ(operations_with(0, 1), 1u);
  EXPECT_EQ(operations_with(3, 2), 2u); // of four
}

// mul 5 + 8 of its row, then the sum: two machine operations and one.
TEST(Fusion, can_be_left_out) {
  ListWriter w = ptx_list();
  w.add("mul.lo.s32", {2}, {0, 1});
  w.add("add.s32", {3}, {2, 1});
  AnnotateOptions options;
  ASSERT_TRUE(leave_out(options, "fusion"));
  const auto program = annotate(w.list, gpu_with_mad(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1));
  EXPECT_FALSE(leave_out(options, "confusion"));
}

// LEA.HI adds to x >> n, and subtracts from it; nothing subtracts it. LEA does all that with x << n. The
// distance is part of the instruction, not in a register.
TEST(Fusion, a_shift_and_a_sum_are_one_operation) {
  const auto operations = [](const std::string& shift, const std::string& sum, bool is_second,
                             bool is_constant = true) {
    configs::Gpu gpu = gpu_with({"shr.u32", "shl.b32", "sub.s32", "fused.lea.hi.b32", "fused.lea.b32"});
    ListWriter w = ptx_list();
    if (is_constant)
      w.add(shift, {2}, {0});
    else
      w.add(shift, {2}, {0, 1});
    if (is_constant)
      give_constants(w, 0, {"5"});
    w.add(sum, {3}, is_second ? std::vector<tasklist::ValueId>{1, 2} : std::vector<tasklist::ValueId>{2, 1});
    return tasks_on(gpu, w).size();
  };
  for (const bool is_second : {false, true}) {
    EXPECT_EQ(operations("shr.u32", "add.s32", is_second), 1u);
    EXPECT_EQ(operations("shl.b32", "add.s32", is_second), 1u);
    EXPECT_EQ(operations("shl.b32", "sub.s32", is_second), 1u);
    EXPECT_EQ(operations("shr.u32", "add.s32", is_second, false), 2u);
  }
  EXPECT_EQ(operations("shr.u32", "sub.s32", false), 1u);
  EXPECT_EQ(operations("shr.u32", "sub.s32", true), 2u);
}

// VIMNMX3 and VIADDMNMX; of a minimum and a maximum there is no such operation.
TEST(Fusion, a_maximum_of_three_or_of_a_sum_is_one_operation) {
  const auto operations = [](const std::string& first, const std::string& second) {
    ListWriter w = ptx_list();
    w.add(first, {2}, {0, 1});
    w.add(second, {4}, {3, 2});
    return tasks_on(gpu_with({"max.s32", "max.u32", "min.s32", "sub.s32", "fused.minmax3.b32",
                              "fused.add.minmax.b32"}),
                    w)
        .size();
  };
  EXPECT_EQ(operations("max.s32", "max.s32"), 1u);
  EXPECT_EQ(operations("add.s32", "max.s32"), 1u);
  EXPECT_EQ(operations("sub.s32", "max.u32"), 1u);
  EXPECT_EQ(operations("max.s32", "min.s32"), 2u);
  EXPECT_EQ(operations("max.s32", "max.u32"), 2u);
  EXPECT_EQ(operations("max.s32", "add.s32"), 2u);
}

// F2FP rounds two numbers into the halves of one register.
TEST(Fusion, two_roundings_to_half_and_their_packing_are_one_operation) {
  auto rows = tiny_rows();
  rows.push_back(row({"cvt"}, {on(alu, 6)}));
  rows.push_back(row({"fused", "f2fp", "one"}, {on(alu, 6)}));
  rows.push_back(row({"fused", "f2fp", "two"}, {on(alu, 6)}));
  ListWriter w = ptx_list();
  w.add("cvt.rn.f16.f32", {2}, {0});
  w.add("cvt.rn.f16.f32", {3}, {1});
  w.add("mov.b32", {4}, {2, 3});
  w.add("st.global.u32", {}, {4}, tasklist::TaskKind::store);
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(2, 3));
}

TEST(Fusion, needs_the_row) {
  ListWriter w = ptx_list();
  w.add("mul.lo.s32", {2}, {0, 1});
  w.add("add.s32", {3}, {2, 1});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1));
}

// ptxas 13.0 computes an address by one operation for each base, though a counter is written again elsewhere.
TEST(Fusion, a_wide_product_goes_into_the_sums_of_its_block_with_several_bases) {
  const auto tasks = [](bool is_stepped_in_between) {
    ListWriter w = ptx_list();
    w.add("add.s32", {0}, {});
    w.add("mul.wide.s32", {2}, {0});
    w.add("add.s64", {3}, {2, 1});
    if (is_stepped_in_between)
      w.add("add.s32", {0}, {0});
    w.add("add.s64", {5}, {2, 4});
    if (!is_stepped_in_between)
      w.add("add.s32", {0}, {0});
    w.add("st.global.u32", {}, {3, 0}, tasklist::TaskKind::store);
    w.add("st.global.u32", {}, {5, 0}, tasklist::TaskKind::store);
    AnnotateOptions options;
    options.schedule = false;
    const auto program = annotate(w.list, gpu_with_mad(), options);
    EXPECT_TRUE(program);
    return program ? tasks_of(*program) : std::vector<std::uint32_t>{};
  };
  EXPECT_THAT(tasks(false), ElementsAre(0, 2, 3, 4, 5, 6));
  EXPECT_THAT(tasks(true), ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
}

// The sum takes the first; the other one is still read by it.
TEST(Fusion, of_two_wide_products_that_are_added_one_stays) {
  ListWriter w = ptx_list();
  w.add("mul.wide.s32", {2}, {0});
  w.add("mul.wide.s32", {3}, {1});
  w.add("add.s64", {4}, {2, 3});
  w.add("add.s64", {5}, {2, 0});
  w.add("add.s64", {6}, {3, 0});
  w.add("st.global.u64", {}, {4, 5, 6}, tasklist::TaskKind::store);
  AnnotateOptions options;
  options.schedule = false;
  const auto program = annotate(w.list, gpu_with_mad(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(1, 2, 3, 4, 4, 5));
}

TEST(Fusion, leaves_a_product_that_others_read) {
  ListWriter w = ptx_list();
  w.add("mul.lo.s32", {2}, {0, 1});
  w.add("add.s32", {3}, {2, 1});
  w.add("st.global.u32", {}, {3, 2}, tasklist::TaskKind::store);
  const auto program = annotate(w.list, gpu_with_mad());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1, 2));
}

TEST(Fusion, does_not_carry_a_product_over_a_new_value_of_its_operand) {
  ListWriter w = ptx_list();
  w.add("add.s32", {0}, {1});
  w.add("mul.lo.s32", {2}, {0, 1});
  w.add("add.s32", {0}, {1});
  w.add("add.s32", {3}, {2, 0});
  AnnotateOptions options;
  options.schedule = false;
  const auto program = annotate(w.list, gpu_with_mad(), options);
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 1, 2, 3));
}

// One index, two arrays: IMAD.WIDE twice and no 64-bit addition.
TEST(Fusion, repeats_a_wide_product_for_every_base) {
  ListWriter w = ptx_list();
  w.add("mul.wide.s32", {1}, {0});
  w.add("add.s64", {3}, {1, 2});
  w.add("add.s64", {5}, {1, 4});
  const auto program = annotate(w.list, gpu_with_mad());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(1, 2));
}

} // namespace
} // namespace kerncast::machine::testing
