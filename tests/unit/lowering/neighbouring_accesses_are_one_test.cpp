// Loads and stores of neighbouring places in shared and local memory become vectors where alignment is known
// and nothing stands in between. Every case was compiled by ptxas 13.0 for sm_75, sm_80 and sm_90, and is
// joined or not as here.
#include <fmt/format.h>

#include "compile_ptx.h"

namespace kerncast::lowering {
namespace {

using ::testing::Contains;
using ::testing::Not;

// %r9 = tile + 16 tid; what is loaded is stored, so that nothing is dead.
std::string at_multiples_of_16(const std::string& body) {
  return ".shared .align 4 .b8 tile[16384];\nld.param.u64 %d9, [p];\nmov.u32 %r8, tile;\nmov.u32 %r7, "
         "%tid.x;\n"
         "shl.b32 %r6, %r7, 4;\nadd.s32 %r9, %r8, %r6;\n" +
         body;
}

std::string load(int offset, int result) {
  return fmt::format("ld.shared.f32 %f{}, [%r9+{}];\n", result, offset);
}

std::string keep(int results) {
  std::string text;
  for (int i = 1; i <= results; ++i)
    text += fmt::format("st.global.f32 [%d9+{}], %f{};\n", 4 * i, i);
  return text;
}

std::ptrdiff_t shared_loads(const tasklist::Tasklist& list) {
  return std::ranges::count_if(list.tasks, [](const tasklist::Task& t) {
    return t.kind == tasklist::TaskKind::load && t.space == tasklist::Space::shared;
  });
}

tasklist::Tasklist loads_at(std::initializer_list<int> offsets) {
  std::string body;
  int results = 0;
  for (const int offset : offsets)
    body += load(offset, ++results);
  return compile_body(at_multiples_of_16(body + keep(results)));
}

TEST(NeighbouringLoads, become_the_widest_vectors_that_are_aligned) {
  EXPECT_THAT(operations(loads_at({0, 4, 8, 12})), Contains("ld.shared.v4.b32"));
  EXPECT_THAT(operations(loads_at({0, 4})), Contains("ld.shared.v2.b32"));
  EXPECT_EQ(shared_loads(loads_at({12, 8, 4, 0})), 1);
  EXPECT_EQ(shared_loads(loads_at({0, 4, 8, 12, 16})), 2);
  EXPECT_EQ(shared_loads(loads_at({4, 8, 12, 16})), 2); // 4 to 12 lie in one vector
  EXPECT_EQ(shared_loads(loads_at({4, 8})), 2);         // no aligned pair
}

TEST(NeighbouringLoads, may_leave_out_one_element_of_four) {
  EXPECT_EQ(shared_loads(loads_at({0, 4, 12})), 1);
  EXPECT_EQ(shared_loads(loads_at({0, 8})), 2);
}

// 4 tid is not a multiple of 8.
TEST(NeighbouringLoads, need_an_alignment_that_is_known) {
  std::string body = at_multiples_of_16(load(0, 1) + load(4, 2) + keep(2));
  body.replace(body.find("%r7, 4;"), 7, "%r7, 2;");
  EXPECT_EQ(shared_loads(compile_body(body)), 2);
}

// Rows of 133 floats, 32 tid bytes from their begin: ptxas joins by where each lies in 16 bytes, and one of
// four may be missing. Of eight floats it loads 2 vectors of four in the first row, 2 and a float in the
// second and the fourth, 1 and 2 vectors of two in the third.
TEST(NeighbouringLoads, know_where_rows_of_any_length_begin) {
  std::string body =
      "mov.u32 %r8, tile;\nmov.u32 %r7, %tid.x;\nshl.b32 %r6, %r7, 3;\nmov.u32 %r10, 0;\nmov.f32 %f9, "
      "0f00000000;\nLOOP:\nmad.lo.s32 %r5, %r10, 133, %r6;\nshl.b32 %r4, %r5, 2;\nadd.s32 %r9, %r8, %r4;\n";
  for (int i = 0; i < 8; ++i)
    body += load(4 * i, i + 1);
  for (int i = 1; i <= 8; ++i)
    body += fmt::format("add.f32 %f9, %f9, %f{};\n", i);
  const tasklist::Tasklist list = compile_body(
      ".shared .align 4 .b8 tile[16384];\nld.param.u64 %d9, [p];\n" + body +
      "add.s32 %r10, %r10, 1;\nsetp.ne.s32 %p1, %r10, 4;\n@%p1 bra LOOP;\nst.global.f32 [%d9], %f9;");
  EXPECT_EQ(shared_loads(list), 2 + 3 + 3 + 3);
  EXPECT_EQ(count(list, "ld.shared.v4.b32"), 7);
  EXPECT_EQ(count(list, "ld.shared.v2.b32"), 2);
}

// Trip k loads float k of 64-float rows: the copies of the body compute the row's place anew, and it is the
// same.
TEST(NeighbouringLoads, of_unrolled_trips_are_neighbours) {
  const tasklist::Tasklist list = compile_body(
      ".shared .align 4 .b8 tile[16384];\nld.param.u64 %d9, [p];\nmov.u32 %r8, tile;\nmov.u32 %r7, %tid.x;\n"
      "mov.u32 %r10, 0;\nmov.f32 %f9, 0f00000000;\nLOOP:\nand.b32 %r1, %r7, 960;\nadd.s32 %r2, %r1, %r10;\n"
      "shl.b32 %r3, %r2, 2;\nadd.s32 %r9, %r8, %r3;\nld.shared.f32 %f1, [%r9];\nfma.rn.f32 %f9, %f1, %f1, "
      "%f9;\n"
      "add.s32 %r10, %r10, 1;\nsetp.ne.s32 %p1, %r10, 8;\n@%p1 bra LOOP;\nst.global.f32 [%d9], %f9;");
  EXPECT_EQ(count(list, "ld.shared.v4.b32"), 2);
  EXPECT_EQ(shared_loads(list), 2);
}

// A pointer that starts at a multiple of 16 bytes and moves by 64 stays at multiples of 16.
TEST(NeighbouringLoads, know_the_alignment_of_pointers_that_loops_move) {
  const auto walk = [](int step) {
    return compile_body(at_multiples_of_16(
        "mov.f32 %f9, 0f00000000;\nLOOP:\n" + load(0, 1) + load(4, 2) +
        fmt::format("add.f32 %f9, %f9, %f1;\nadd.f32 %f9, %f9, %f2;\nadd.s32 %r9, %r9, {};\n", step) +
        "setp.lt.s32 %p1, %r9, %r5;\n@%p1 bra LOOP;\nst.global.f32 [%d9], %f9;"));
  };
  EXPECT_EQ(shared_loads(walk(64)), 1);
  EXPECT_EQ(shared_loads(walk(4)), 2);
}

TEST(NeighbouringLoads, stay_apart_across_stores_barriers_and_guards) {
  const auto with_between = [](const std::string& between) {
    return shared_loads(compile_body(at_multiples_of_16(load(0, 1) + between + load(4, 2) + keep(2))));
  };
  EXPECT_EQ(with_between("st.global.f32 [%d9+64], %f1;\n"), 1);
  EXPECT_EQ(with_between("st.shared.f32 [%r9+64], %f1;\n"), 2);
  EXPECT_EQ(with_between("st.f32 [%d9+64], %f1;\n"), 2);
  EXPECT_EQ(with_between("bar.sync 0;\n"), 2);
  EXPECT_EQ(with_between("bar.warp.sync -1;\n"), 2);
  EXPECT_EQ(shared_loads(compile_body(
                at_multiples_of_16(load(0, 1) + "setp.lt.s32 %p1, %r7, 4;\n@%p1 " + load(4, 2) + keep(2)))),
            2);
}

// The second value of %f1 may not come before the first one is read.
TEST(NeighbouringLoads, do_not_move_over_uses_of_their_result) {
  EXPECT_EQ(shared_loads(compile_body(at_multiples_of_16(load(0, 1) + keep(1) + load(4, 1) + keep(1)))), 2);
}

TEST(NeighbouringLoads, of_unequal_width_stay_apart) {
  EXPECT_EQ(shared_loads(compile_body(at_multiples_of_16(
                load(0, 1) + "ld.shared.f64 %d8, [%r9+8];\nst.global.f64 [%d9+64], %d8;\n" + keep(1)))),
            2);
}

TEST(NeighbouringLoads, can_be_left_alone) {
  EXPECT_EQ(shared_loads(compile_body(at_multiples_of_16(load(0, 1) + load(4, 2) + keep(2)),
                                      {.join_accesses = false})),
            2);
}

TEST(NeighbouringStores, become_whole_vectors) {
  const auto stores = [](const std::string& body) {
    return operations(compile_body(at_multiples_of_16(
        "ld.global.f32 %f1, [%d9];\nld.global.f32 %f2, [%d9+64];\nld.global.f32 %f3, [%d9+128];\n" + body)));
  };
  const std::string first = "st.shared.f32 [%r9], %f1;\n", second = "st.shared.f32 [%r9+4], %f2;\n",
                    third = "st.shared.f32 [%r9+8], %f3;\n", fourth = "st.shared.f32 [%r9+12], 0f3F800000;\n";
  EXPECT_THAT(stores(first + second + third + fourth), Contains("st.shared.v4.b32"));
  const auto three = stores(first + second + third);
  EXPECT_THAT(three, Contains("st.shared.v2.b32"));
  EXPECT_THAT(three, Contains("st.shared.f32"));
  EXPECT_THAT(stores(first + "ld.shared.f32 %f5, [%r8+8192];\nst.global.f32 [%d9], %f5;\n" + second),
              Not(Contains("st.shared.v2.b32")));
  EXPECT_THAT(stores(first + "st.shared.f32 [%r7], %f3;\n" + second), Not(Contains("st.shared.v2.b32")));
}

} // namespace
} // namespace kerncast::lowering
