// Small kernels that each show one thing, against the machine instructions that ptxas 13.0 made of the same
// text (without the no-ops and the branch to itself behind the end).
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lowered_by_gpu.h"

namespace kerncast::machine {
namespace {

constexpr std::array targets = {"sm_75", "sm_80", "sm_90"};

// %d1 and %d2 are places in global memory of this thread.
std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {\n"
         ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %d<40>;\n"
         ".reg .f64 %g<10>;\n"
         "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n];\n"
         "mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 32;\n"
         "add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;\n" +
         body + "ret;\n}\n";
}

double instructions(const std::string& text, const std::string& target) {
  const auto program = lowered(SourceText("k.ptx", text), "", target);
  EXPECT_TRUE(program) << target;
  return program ? static_cast<double>(program->static_instructions()) : 0;
}

// `of_ptxas`: for sm_75, sm_80 and sm_90.
void expect_near(const std::string& text, std::array<double, 3> of_ptxas, double percent) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    EXPECT_NEAR(instructions(text, targets[i]), of_ptxas[i], of_ptxas[i] * percent / 100) << targets[i];
}

// 3 x 3 x 3 loads and multiply-adds, and nothing that counts.
TEST(SmallKernels, unroll_all_loops_of_a_nest) {
  expect_near(kernel("mov.f32 %f2, 0f00000000;\nmov.u32 %r3, 0;\nL0: mov.u32 %r4, 0;\nL1: mov.u32 %r5, 0;\n"
                     "L2: mad.lo.u32 %r6, %r3, 3, %r4; mad.lo.u32 %r6, %r6, 3, %r5;\n"
                     "mul.wide.u32 %d5, %r6, 4; add.s64 %d5, %d1, %d5;\n"
                     "ld.global.f32 %f1, [%d5]; fma.rn.f32 %f2, %f1, %f1, %f2;\n"
                     "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra L2;\n"
                     "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra L1;\n"
                     "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L0;\n"
                     "st.global.f32 [%d2], %f2;\n"),
              {61, 62, 63}, 5);
}

// What an address comes from at last weighs nothing: 7 times a load, a product, a load and a sum, the
// address's sum not, and 4 that count and step are 46 of 49.
TEST(SmallKernels, copy_a_loop_that_gathers) {
  std::string body = "mov.u32 %r3, 0; mov.f32 %f1, 0f00000000;\nL:\n";
  for (int i = 0; i < 7; ++i)
    body += fmt::format("ld.global.u32 %r{}, [%d1+{}]; mul.wide.s32 %d{}, %r{}, 4; add.s64 %d{}, %d2, %d{};\n"
                        "ld.global.f32 %f{}, [%d{}]; add.f32 %f1, %f1, %f{};\n",
                        10 + i, 4 * i, 10 + 2 * i, 10 + i, 11 + 2 * i, 10 + 2 * i, 2 + i, 11 + 2 * i, 2 + i);
  expect_near(kernel(body + "add.s64 %d1, %d1, 28; add.u32 %r3, %r3, 1;\n"
                            "setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\nst.global.f32 [%d2], %f1;\n"),
              {262, 263, 264}, 12);
}

TEST(SmallKernels, do_not_copy_a_loop_with_a_condition_under_a_condition) {
  expect_near(kernel("mov.u32 %r3, 0; mov.u32 %r4, 0;\nL: ld.global.u32 %r5, [%d1];\n"
                     "setp.lt.s32 %p1, %r5, 3; @%p1 bra S; add.s32 %r4, %r4, %r5;\n"
                     "setp.gt.s32 %p2, %r4, 99; @%p2 bra S; mad.lo.s32 %r4, %r4, %r5, 7;\n"
                     "S: add.s64 %d1, %d1, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, %r1; @%p3 bra L;\n"
                     "st.global.u32 [%d2], %r4;\n"),
              {26, 26, 29}, 15);
}

// Threads of a warp have different numbers of trips.
TEST(SmallKernels, do_not_copy_a_loop_of_loads_and_shared_atomics) {
  expect_near(
      kernel(".shared .align 4 .b8 bins[1024];\nmov.u32 %r3, %r2; mov.u32 %r6, bins; mov.u32 %r9, 0;\n"
             "L: ld.global.u32 %r5, [%d1]; and.b32 %r10, %r5, 255; shl.b32 %r11, %r10, 2;\n"
             "add.s32 %r12, %r11, %r6; atom.shared.exch.b32 %r8, [%r12], %r3; add.u32 %r9, %r9, %r8;\n"
             "add.s64 %d1, %d1, 1024; add.u32 %r3, %r3, 256; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n"
             "bar.sync 0; ld.shared.u32 %r7, [%r6+16]; add.u32 %r7, %r7, %r9; st.global.u32 [%d2], %r7;\n"),
      {33, 28, 33}, 25);
}

// With or without loads. Threads of a warp have different numbers of trips here, too.
TEST(SmallKernels, do_not_copy_a_loop_of_atomics) {
  expect_near(kernel("mov.u32 %r3, %r2;\nL: mul.wide.u32 %d5, %r3, 4; add.s64 %d6, %d2, %d5;\n"
                     "red.global.add.u32 [%d6], %r1;\nadd.u32 %r3, %r3, 256;\n"
                     "setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n"),
              {11, 12, 13}, 10);
}

// The block with the branch back stands in front of the conditional one.
TEST(SmallKernels, copy_a_loop_whose_condition_lies_behind_its_end) {
  expect_near(kernel("mov.u32 %r3, 0; mov.u32 %r4, 0;\nL: ld.global.u32 %r5, [%d1];\n"
                     "setp.lt.s32 %p1, %r5, 3; @%p1 bra OUT;\nLATCH: add.s64 %d1, %d1, 4;\n"
                     "add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, %r1; @%p3 bra L; bra END;\n"
                     "OUT: st.global.u32 [%d2], %r5; bra LATCH;\nEND:\n"),
              {73, 74, 76}, 22);
}

std::string loads_of_the_constant_bank(int loads) {
  std::string body = "mov.u32 %r3, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f3F800000; mov.u64 %d6, bank;\n"
                     "L: mul.wide.u32 %d4, %r3, 4; add.s64 %d5, %d6, %d4;\n";
  for (int i = 0; i < loads; ++i)
    body += fmt::format("ld.const.f32 %f{0}, [%d5+{1}]; fma.rn.f32 %f1, %f1, %f2, %f{0};\n", 10 + i, 64 * i);
  std::string text = kernel(body + "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n"
                                   "st.global.f32 [%d2], %f1;\n");
  return text.insert(text.find(".visible"), ".const .align 4 .b8 bank[8192];\n");
}

// Six times a load and a multiply-add and three that count are 21; product and sum of the address are
// nothing.
TEST(SmallKernels, copy_a_loop_of_six_loads_from_the_constant_bank_and_none_of_seven) {
  expect_near(loads_of_the_constant_bank(6), {139, 140, 140}, 12);
  expect_near(loads_of_the_constant_bank(7), {27, 27, 28}, 5);
}

// Products and sums of halves without a rounding are HFMA2s, 16 of them, each waiting for the one before.
TEST(SmallKernels, fuse_products_and_sums_of_halves) {
  std::string body = "ld.global.b16 %h1, [%d1]; ld.global.b16 %h2, [%d1+2]; ld.global.b16 %h30, [%d1+4];\n";
  for (int i = 0; i < 16; ++i)
    body +=
        fmt::format("mul.f16 %h{}, %h1, %h{}; add.f16 %h{}, %h{}, %h2;\n", 10 + i, 30 + i, 31 + i, 10 + i);
  std::string text = kernel(body + "st.global.b16 [%d2], %h46;\n");
  text.replace(text.find("%h<20>"), 6, "%h<50>");
  expect_near(text, {26, 27, 28}, 8);
}

// Two quotients of a kind share a routine, four of four kinds do not.
TEST(SmallKernels, have_a_routine_for_each_kind_of_quotient) {
  const std::string load = "ld.global.u64 %d4, [%d1]; ld.global.u64 %d5, [%d1+8];\n";
  expect_near(kernel(load + "div.s64 %d6, %d4, %d5; div.s64 %d7, %d6, %d5; st.global.u64 [%d2], %d7;\n"),
              {107, 108, 108}, 2);
  expect_near(kernel(load + "div.s64 %d6, %d4, %d5; div.u64 %d7, %d6, %d5;\n"
                            "rem.u64 %d8, %d7, %d5; rem.s64 %d9, %d8, %d4; st.global.u64 [%d2], %d9;\n"),
              {320, 321, 321}, 2);
}

std::string eight_times(const std::string& load, const std::string& store) {
  std::string body;
  for (int i = 0; i < 8; ++i) {
    const std::string at = "+" + std::to_string(32768 * i) + "]";
    body += "ld.global." + load.substr(0, load.find(' ')) + " {%h1, %h2, %h3, %h4}, [%d1" + at + ";\n" +
            load.substr(load.find(' ')) + "\nst.global." + store.substr(0, store.find(' ')) + " [%d2" + at +
            "," + store.substr(store.find(' ')) + ";\n";
  }
  return kernel(body);
}

// PRMT for each byte and half that is read, and to put them together: 7 of reversed bytes, none of a copy, 3
// of halves of which one is added to another. A conversion reads a byte itself, but for I2FP of sm_90.
TEST(SmallKernels, take_small_elements_apart_and_put_them_together) {
  expect_near(eight_times("v4.u8 ", "v4.u8 {%h4, %h3, %h2, %h1}"), {78, 79, 80}, 3);
  expect_near(eight_times("v4.u8 ", "v4.u8 {%h1, %h2, %h3, %h4}"), {22, 23, 24}, 10);
  expect_near(eight_times("v4.u16 add.u16 %h1, %h1, %h2;", "v4.u16 {%h4, %h3, %h2, %h1}"), {54, 55, 56}, 5);
  expect_near(eight_times("v4.u8 cvt.rn.f32.u16 %f1, %h1; cvt.rn.f32.u16 %f2, %h2; cvt.rn.f32.u16 %f3, %h3;"
                          "cvt.rn.f32.u16 %f4, %h4;",
                          "v4.f32 {%f1, %f2, %f3, %f4}"),
              {54, 55, 88}, 5);
}

// A product of 64 bits, shifted, of which the lower half is stored: SHF.
TEST(SmallKernels, shift_one_half_where_one_is_read) {
  std::string body;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i), at = "+" + std::to_string(16 * i) + "]";
    body += "ld.global.u32 %r1" + n + ", [%d1" + at + "; mul.wide.u32 %d1" + n + ", %r1" + n +
            ", -1431655765; shr.u64 %d2" + n + ", %d1" + n + ", 36; cvt.u32.u64 %r2" + n + ", %d2" + n +
            "; st.global.u32 [%d2" + at + ", %r2" + n + ";\n";
  }
  expect_near(kernel(body), {38, 39, 40}, 6);
}

// Eight loaded values X, of which `halves` makes values Y, which are added up. %d3 is the lane's distance.
std::string sum_of_eight(const std::string& halves) {
  std::string body = "ld.global.u64 %d10, [%d1+1024];\n";
  for (int i = 0; i < 8; ++i) {
    body += fmt::format("ld.global.u64 %d{}, [%d1+{}];\n", 20 + i, 16 * i);
    for (const char c : halves) {
      const std::size_t place = std::string_view("XYST").find(c);
      body += place == std::string_view::npos ? std::string(1, c) : fmt::format("%d{}{}", 2 + place, i);
    }
    body += fmt::format("\nadd.s64 %d{}, %d{}, %d{};\n", 11 + i, 10 + i, 30 + i);
  }
  std::string text = kernel(body + "st.global.u64 [%d2], %d18;\n");
  text.replace(text.find("%d<40>"), 6, "%d<60>");
  return text;
}

TEST(SmallKernels, compute_no_half_of_a_pair_that_is_known) {
  expect_near(sum_of_eight("xor.b64 Y, X, %d3;"), {42, 43, 45}, 8);
  expect_near(sum_of_eight("shl.b64 S, X, 32; shr.u64 T, X, 32; or.b64 Y, S, T;"), {24, 25, 26}, 9);
  expect_near(sum_of_eight("and.b64 Y, X, 4294967295;"), {24, 25, 26}, 9);
  expect_near(sum_of_eight("shr.u64 Y, X, 32;"), {24, 25, 26}, 9);
  expect_near(sum_of_eight("shr.u64 Y, X, 40;"), {32, 33, 34}, 7);
  expect_near(sum_of_eight("xor.b64 Y, X, 77;"), {32, 33, 34}, 7);
  expect_near(sum_of_eight("bfi.b64 Y, X, %d3, 32, 32;"), {26, 27, 29}, 12);
}

// Of six loaded values, one after the other: {v} is the value, {a} and {b} are registers of its own, {x} and
// {y} what was made of the values before and of this one, too.
std::string of_six_values(const std::string& each, const std::string& before = {}) {
  std::string body = "ld.global.u32 %r4, [%d1+1024];" + before + "\n";
  for (int i = 0; i < 6; ++i) {
    const auto r = [i](int first) { return fmt::format("%r{}", first + i); };
    body += fmt::format("ld.global.u32 {}, [%d1+{}]; ", r(11), 16 * i) +
            fmt::format(fmt::runtime(each), fmt::arg("v", r(11)), fmt::arg("a", r(20)), fmt::arg("b", r(30)),
                        fmt::arg("x", r(4)), fmt::arg("y", r(5))) +
            "\n";
  }
  return kernel(body + "st.global.u32 [%d2], %r10;\n");
}

TEST(SmallKernels, shift_and_add_in_one_operation) {
  const auto six = [](const std::string& shift, const std::string& sum) {
    return of_six_values(shift + " {a}, {v}, 5; " + sum + "; xor.b32 {y}, {x}, {b};");
  };
  for (const char* const shift : {"shr.u32", "shr.s32", "shl.b32"}) {
    expect_near(six(shift, "add.s32 {b}, {a}, %r2"), {23, 24, 25}, 9);
    expect_near(six(shift, "sub.s32 {b}, {a}, %r2"), {23, 24, 25}, 9);
  }
  expect_near(six("shl.b32", "sub.s32 {b}, %r2, {a}"), {23, 24, 25}, 9);
  expect_near(six("shr.u32", "sub.s32 {b}, %r2, {a}"), {29, 30, 31}, 7);
}

TEST(SmallKernels, take_both_halves_of_a_product_from_one_operation) {
  const auto six = [](const std::string& first, const std::string& second) {
    return of_six_values(first + " {a}, {v}, %r4; " + second +
                         " {b}, %r4, {v}; lop3.b32 {y}, {x}, {a}, {b}, 150;");
  };
  expect_near(six("mul.lo.u32", "mul.hi.u32"), {26, 27, 28}, 8);
  expect_near(six("mul.hi.s32", "mul.lo.s32"), {26, 27, 28}, 8);
}

TEST(SmallKernels, find_the_largest_of_three_in_one_operation) {
  const auto six = [](const std::string& first, const std::string& second) {
    return of_six_values(first + " {a}, {v}, %r3; " + second + " {b}, {a}, %r2; mul.lo.u32 {y}, {x}, {b};",
                         " ld.global.u32 %r3, [%d1+1028];");
  };
  EXPECT_EQ(instructions(six("max.s32", "max.s32"), "sm_90"), 29);
  EXPECT_EQ(instructions(six("add.s32", "min.u32"), "sm_90"), 29);
  EXPECT_EQ(instructions(six("max.s32", "min.s32"), "sm_90"), 35);
  EXPECT_EQ(instructions(six("max.s32", "add.s32"), "sm_90"), 35);
  EXPECT_EQ(instructions(six("max.s32", "max.s32"), "sm_80"),
            instructions(six("max.s32", "min.s32"), "sm_80"));
}

TEST(SmallKernels, saturate_f64_with_comparisons_and_selections) {
  expect_near(kernel("ld.global.f64 %g1, [%d1]; ld.global.f64 %g2, [%d1+8];\n"
                     "add.f64 %g3, %g1, %g2; cvt.sat.f64.f64 %g9, %g3; st.global.f64 [%d2], %g9;\n"),
              {24, 25, 28}, 9);
}

TEST(SmallKernels, rotate_pairs_in_two_operations) {
  expect_near(sum_of_eight("shl.b64 S, X, 13; shr.u64 T, X, 51; add.s64 Y, S, T;"), {40, 41, 42}, 5);
  expect_near(sum_of_eight("shl.b64 S, X, 13; shr.u64 T, X, 51; or.b64 Y, S, T;"), {56, 57, 58}, 4);
}

TEST(SmallKernels, have_no_branches_that_only_lead_on) {
  std::string forward = "bra L0;\n", backward = "bra M20;\n";
  for (int i = 0; i < 20; ++i) {
    forward += "L" + std::to_string(i) + ": bra L" + std::to_string(i + 1) + ";\n";
    backward += "M" + std::to_string(i + 1) + ": bra M" + std::to_string(i) + ";\n";
  }
  const std::string store = "st.global.u32 [%d1], %r2;\n";
  const auto alone = instructions(kernel(store), "sm_80");
  EXPECT_EQ(instructions(kernel(forward + "L20: " + store), "sm_80"), alone);
  EXPECT_EQ(instructions(kernel(backward + "M0: " + store), "sm_80"), alone);
}

TEST(SmallKernels, end_where_nothing_is_written) {
  expect_near(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n}\n", {2, 2, 2}, 0);
}

// With and without the final ret, behind a store and behind a branch to the end.
TEST(SmallKernels, end_where_their_text_does) {
  const auto text = [](const std::string& body) {
    return ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
           ".reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p<3>;\n"
           "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n" +
           body + "}\n";
  };
  const std::string store = "st.global.u32 [%d1], %r1;\n";
  const std::string skip = "setp.gt.u32 %p1, %r1, 9; @%p1 bra L1;\n" + store + "L1:\n";
  for (const char* const target : targets) {
    EXPECT_EQ(instructions(text(store), target), instructions(text(store + "ret;\n"), target));
    EXPECT_EQ(instructions(text(skip), target), instructions(text(skip + "ret;\n"), target));
  }
  expect_near(text(store), {5, 7, 6}, 20);
  expect_near(text(skip), {7, 9, 8}, 15);
}

} // namespace
} // namespace kerncast::machine
