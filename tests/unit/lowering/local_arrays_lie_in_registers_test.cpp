// Local arrays that ptxas 13.0 gives no stack are registers: moves where the place is known, comparisons and
// moves under predicates where it is one of few.
#include "compile_ptx.h"

namespace kerncast::lowering {
namespace {

// An array of `elements` floats; a pointer walks over it, `step` bytes a trip, in a loop that stays a loop.
std::string walking(int elements, int step, const std::string& body) {
  return ".local .align 16 .b8 A[" + std::to_string(4 * elements) +
         "];\nld.param.u64 %d9, [p];\nmov.u64 %d8, A;\nmov.u64 %d1, %d8;\nmov.u32 %r1, 0;\nmov.f32 %f1, "
         "0f3f800000;\nst.local.f32 [%d8], %f1;\nLOOP:\n.pragma \"nounroll\";\n" +
         body + "add.s64 %d1, %d1, " + std::to_string(step) +
         ";\nadd.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, " + std::to_string(4 * elements / step) +
         ";\n@%p1 bra LOOP;\nld.local.f32 %f3, [%d8+4];\nadd.f32 %f4, %f3, %f1;\n"
         "st.global.f32 [%d9], %f4;";
}
const std::string update = "ld.local.f32 %f2, [%d1];\nadd.f32 %f2, %f2, %f1;\nst.local.f32 [%d1], %f2;\n";

std::ptrdiff_t moves_in_loop(const tasklist::Tasklist& list) {
  const auto in_loop = list.tasks_of(list.blocks[list.loops.at(0).header]);
  return std::ranges::count_if(
      in_loop, [&](const tasklist::Task& t) { return list.operations[t.operation] == "mov.b32"; });
}

// Four places: four comparisons that load and store share, and four moves for each.
TEST(LocalArrays, of_a_walking_pointer_cost_comparisons_and_moves) {
  const auto list = compile_body(walking(4, 4, update));
  EXPECT_EQ(count(list, "setp.eq.u32"), 4);
  EXPECT_EQ(moves_in_loop(list), 8);
  EXPECT_EQ(list.local_bytes_per_thread, 0u);
  EXPECT_TRUE(std::ranges::none_of(
      list.tasks, [](const tasklist::Task& t) { return t.space == tasklist::Space::local; }));
}

// 64 bytes, aligned to 16, in steps of 32: whoever does not know where the array begins tells four places of
// 16 bytes apart, not two (ptxas 13.0, sm_75). Two elements of each four are of use: eight moves to load them
// and eight to store.
TEST(LocalArrays, in_steps_beyond_their_alignment_are_compared_with_every_aligned_place) {
  std::string body = "ld.local.v4.f32 {%f2,%f3,%f4,%f5}, [%d1];\n";
  for (const char* f : {"%f2", "%f3", "%f4", "%f5"})
    body += std::string("add.f32 ") + f + ", " + f + ", %f1;\n";
  const auto list = compile_body(walking(16, 32, body + "st.local.v4.f32 [%d1], {%f2,%f3,%f4,%f5};\n"));
  EXPECT_EQ(count(list, "setp.eq.u32"), 4);
  EXPECT_EQ(moves_in_loop(list), 16);
}

// Whoever writes volatile wants the accesses themselves.
TEST(LocalArrays, of_volatile_accesses_stay_in_memory) {
  const auto body = [](const std::string& access) {
    return ".local .align 16 .b8 A[16];\nld.param.u64 %d9, [p];\nst" + access + ".u32 [A+4], %r1;\nld" +
           access + ".u32 %r2, [A+4];\nst.global.u32 [%d9], %r2;";
  };
  EXPECT_EQ(compile_body(body(".local")).local_bytes_per_thread, 0u);
  const auto list = compile_body(body(".volatile.local"));
  EXPECT_EQ(list.local_bytes_per_thread, 16u);
  EXPECT_EQ(std::ranges::count_if(list.tasks,
                                  [](const tasklist::Task& t) { return t.space == tasklist::Space::local; }),
            2);
}

// ptxas 13.0 for sm_75: three places twice are promoted, six places twice are not (0 and 32 bytes of stack);
// nor are steps of three elements.
TEST(LocalArrays, of_more_places_stay_in_memory) {
  EXPECT_EQ(compile_body(walking(3, 4, update)).local_bytes_per_thread, 0u);
  EXPECT_EQ(compile_body(walking(6, 4, update)).local_bytes_per_thread, 24u);
  EXPECT_EQ(compile_body(walking(9, 12, update)).local_bytes_per_thread, 36u);
}

// Choosing may double the cost of the kernel: with 8 more operations in the loop ptxas 13.0 for sm_75 keeps
// six places twice in registers, ten in a stack of 48 bytes.
TEST(LocalArrays, of_larger_loops_may_have_more_places) {
  std::string longer = update;
  for (int i = 0; i < 8; ++i)
    longer += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  EXPECT_EQ(compile_body(walking(6, 4, longer)).local_bytes_per_thread, 0u);
  EXPECT_EQ(compile_body(walking(10, 4, longer)).local_bytes_per_thread, 40u);
}

// P0 to P6: of eight places that a load and a store choose among five are told apart once, three twice (ptxas
// 13.0 for sm_75 has three operations more, too).
TEST(LocalArrays, of_more_places_than_predicates_are_compared_again) {
  std::string longer = update;
  for (int i = 0; i < 16; ++i)
    longer += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  EXPECT_EQ(count(compile_body(walking(7, 4, longer)), "setp.eq.u32"), 7);
  EXPECT_EQ(count(compile_body(walking(8, 4, longer)), "setp.eq.u32"), 8 + 3);
}

// A vector is chosen like one element: of five vectors of four ptxas 13.0 for sm_75 makes registers, of eight
// a stack of 128 bytes.
TEST(LocalArrays, of_vectors_are_chosen_as_vectors) {
  std::string vectors = "ld.local.v4.f32 {%f2,%f3,%f4,%f5}, [%d1];\n";
  for (const char* f : {"%f2", "%f3", "%f4", "%f5"})
    vectors += std::string("fma.rn.f32 ") + f + ", " + f + ", %f1, %f1;\n";
  vectors += "st.local.v4.f32 [%d1], {%f2,%f3,%f4,%f5};\n";
  EXPECT_EQ(compile_body(walking(32, 16, vectors)).local_bytes_per_thread, 128u);
  EXPECT_EQ(compile_body(walking(20, 16, vectors)).local_bytes_per_thread, 0u);
}

// Loop of eight trips, unrolled: every place is known, and of the eight sums only the one that is read is
// left.
TEST(LocalArrays, whose_loop_is_unrolled_cost_nothing) {
  std::string body = walking(8, 4, update);
  body.erase(body.find(".pragma"), std::string(".pragma \"nounroll\";\n").size());
  const auto list = compile_body(body);
  EXPECT_EQ(list.local_bytes_per_thread, 0u);
  EXPECT_EQ(count(list, "add.f32"), 1 + 1);
  EXPECT_EQ(count(list, "setp.eq.u32"), 0);
}

TEST(LocalArrays, whose_address_goes_elsewhere_stay_in_memory) {
  const auto list = compile_body(".local .align 4 .b8 A[16];\nld.param.u64 %d9, [p];\nmov.u64 %d1, A;\n"
                                 "st.local.f32 [%d1], %f1;\ncvta.local.u64 %d2, %d1;\n"
                                 "st.global.u64 [%d9], %d2;\nld.local.f32 %f2, [%d1];\n"
                                 "st.global.f32 [%d9+8], %f2;");
  EXPECT_EQ(list.local_bytes_per_thread, 16u);
}

// Three elements and an index that nothing is known of, outside of loops: one of them if not the two others.
TEST(LocalArrays, of_an_unknown_index_are_compared_with_the_elements) {
  const std::string body =
      ".local .align 4 .b8 A[12];\nld.param.u64 %d9, [p];\nmov.u32 %r1, %tid.x;\n"
      "mov.u64 %d1, A;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
      "st.local.f32 [%d1], %f1;\nst.local.f32 [%d1+4], %f1;\nst.local.f32 [%d1+8], %f1;\n"
      "ld.local.f32 %f2, [%d3];\nst.global.f32 [%d9], %f2;";
  EXPECT_EQ(count(compile_body(body), "setp.eq.u32"), 2);
  EXPECT_EQ(compile_body(body).local_bytes_per_thread, 0u);
  EXPECT_EQ(compile_body(body, {.promote_local = false}).local_bytes_per_thread, 12u);
}

// Twelve elements in pairs, an unknown one of six.
TEST(LocalArrays, of_an_unknown_multiple_are_compared_with_these) {
  const auto pairs = [](int bytes) {
    return ".local .align 16 .b8 A[48];\nld.param.u64 %d9, [p];\nmov.u32 %r1, %tid.x;\n"
           "mov.u64 %d1, A;\nmul.wide.u32 %d2, %r1, " +
           std::to_string(bytes) +
           ";\nadd.s64 %d3, %d1, %d2;\nst.local.f32 [%d1], %f1;\nst.local.f32 [%d1+4], %f1;\n"
           "ld.local.f32 %f2, [%d3+4];\nst.global.f32 [%d9], %f2;\nst.global.f32 [%d9+4], %f1;";
  };
  EXPECT_EQ(count(compile_body(pairs(8)), "setp.eq.u32"), 6 - 1);
  EXPECT_EQ(count(compile_body(pairs(16)), "setp.eq.u32"), 3 - 1);
  EXPECT_EQ(count(compile_body(pairs(4)), "setp.eq.u32"), 12 - 1);
}

} // namespace
} // namespace kerncast::lowering
