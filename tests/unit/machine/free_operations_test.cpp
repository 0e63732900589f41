// Rows without machine operations: what disappears and what stays a register move.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using tasklist::ValueClass;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FreeOperation, readers_of_a_copy_wait_for_the_original) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("mov.u32", {1}, {0});
  w.add("mov.u32", {2}, {1});
  w.add("add.s32", {3}, {2, 0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 3));
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
}

TEST(FreeOperation, readers_of_a_packed_value_wait_for_its_parts) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {});
  w.add("mov.b64", {2}, {0, 1});
  w.add("add.s32", {3}, {2});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 3));
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(0, 1));
}

// The first packing reads the second one's result of the iteration before, so that must be a register.
TEST(FreeOperation, a_part_of_a_packed_value_is_not_taken_apart_itself) {
  ListWriter w;
  w.block({1});
  w.add("add.s32", {0}, {});
  w.block({1, 2});
  w.add("mov.b64", {2}, {0, 1});
  w.add("st.global.f32", {}, {2}, TaskKind::store);
  w.add("add.s32", {3}, {});
  w.add("add.s32", {4}, {});
  w.add("mov.b64", {1}, {3, 4});
  w.add("bra", {}, {}, TaskKind::branch);
  w.block();
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 2, 3, 4, 5, 6));
}

TEST(FreeOperation, both_halves_of_an_unpacked_value_are_ready_with_it) {
  ListWriter w;
  w.add("and.b64", {0}, {});
  w.list.value_classes[0] = ValueClass::b64;
  w.add("mov.b64", {1, 2}, {0});
  w.add("add.s32", {3}, {2});
  w.add("mov.b64", {4}, {1, 3});
  w.add("add.s32", {5}, {4});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 2, 4));
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(1));
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(1, 2));
}

TEST(FreeOperation, a_constant_is_always_ready) {
  ListWriter w;
  w.add("mov.u32", {0}, {});
  w.add("add.s32", {1}, {0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(1));
  EXPECT_THAT(program->sources(program->ops[0]), IsEmpty());
}

// i = 0; do i' = i + 1; i = i' while ...: the copy at the loop's end disappears, the start value is an
// instruction, as in machine code.
TEST(FreeOperation, a_loop_counter_keeps_only_the_move_of_its_start_value) {
  ListWriter w;
  w.block({1});
  w.add("mov.u32", {0}, {});
  w.block({1, 2});
  w.add("add.s32", {1}, {0});
  w.add("mov.u32", {0}, {1});
  w.add("bra", {}, {}, TaskKind::branch);
  w.block();
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 3));
  const std::uint16_t counter = program->destinations(program->ops[0])[0];
  EXPECT_EQ(program->sources(program->ops[1])[0], counter);
  EXPECT_EQ(program->destinations(program->ops[1])[0], counter);
}

// The loop reads last iteration's value after this iteration's was loaded: two registers and a move.
TEST(FreeOperation, a_copy_that_outlives_its_original_is_a_move) {
  ListWriter w;
  w.block({1});
  w.add("add.s32", {1}, {});
  w.block({1, 2});
  w.add("ld.global.s32", {0}, {}, TaskKind::load);
  w.add("add.s32", {2}, {1, 0});
  w.add("mov.u32", {1}, {0});
  w.add("bra", {}, {2}, TaskKind::branch);
  w.block();
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 2, 3, 4));
  const MachineOp& move = program->ops[3];
  EXPECT_EQ(move.unit, alu);
  EXPECT_EQ(move.latency, 6);
  EXPECT_EQ(move.kind, OpKind::compute);
}

TEST(FreeOperation, a_64_bit_value_that_cannot_be_shared_takes_two_moves) {
  ListWriter w;
  w.block({1, 2});
  w.add("mov.u64", {0}, {});
  w.block({2});
  w.add("mov.u64", {0}, {});
  w.block();
  w.add("add.s32", {1}, {0});
  w.list.value_classes[0] = ValueClass::b64;
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1, 1, 2));
}

TEST(FreeOperation, under_a_guard_is_a_select) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("setp.s32", {1}, {});
  w.add("mov.u32", {0}, {1}).predicated = true;
  w.add("add.s32", {2}, {0});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(0, 1));
}

TEST(FreeOperation, moves_that_stay_need_a_row_for_the_addition_they_are_charged_as) {
  ListWriter w;
  w.add("mov.u32", {0}, {});
  const auto program = annotate(w.list, tiny_gpu({row({"mov"}, {})}));
  ASSERT_FALSE(program);
  EXPECT_THAT(render(program.error()),
              ::testing::HasSubstr("operation 'add.s32' (what register moves are "
                                   "charged as) has no machine operations on 'tiny'"));
}

} // namespace
} // namespace kerncast::machine::testing
