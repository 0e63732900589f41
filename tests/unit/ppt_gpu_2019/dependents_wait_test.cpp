// Claims about one warp: nothing in cycle 0, dependents in the cycle after the operand, one more to end.
#include <gtest/gtest.h>

#include "simple_input.h"

namespace kerncast::ppt_gpu_2019::testing {
namespace {

double cycles(const Input& input) { return predict(input).value().cycles; }

// The item issues in cycle 1, the warp is found at its end in cycle 2, the block without warps in cycle 3.
TEST(OneWarp, needs_three_cycles_for_one_item) {
  Input input = input_of_warps(1);
  add(input, ItemKind::ialu, 6);
  EXPECT_EQ(cycles(input), 3);
  EXPECT_EQ(predict(input)->block_actual_end, std::vector<double>{1 + 6});
}

// Issue in 1, operand there at 7; found missing in 2, looked for again after 7: issue in 8, end in 9 and 10.
TEST(OneWarp, that_found_its_operand_missing_issues_one_cycle_late) {
  Input input = input_of_warps(1);
  add(input, ItemKind::ialu, 6);
  add(input, ItemKind::ialu, 6, {0});
  EXPECT_EQ(cycles(input), 10);
}

// Operand there at 2, and looked for in 2 for the first time: issue in 2, end in 3 and 4.
TEST(OneWarp, that_comes_when_the_operand_is_just_there_issues_at_once) {
  Input input = input_of_warps(1);
  add(input, ItemKind::ialu, 1);
  add(input, ItemKind::ialu, 1, {0});
  EXPECT_EQ(cycles(input), 4);
}

// Operand there at 7.5: the next whole cycle is 8, end in 9 and 10.
TEST(OneWarp, rounds_fractions_of_a_cycle_up) {
  Input input = input_of_warps(1);
  add(input, ItemKind::ialu, 6.5);
  add(input, ItemKind::ialu, 6, {0});
  EXPECT_EQ(cycles(input), 10);
}

// With two issues per cycle both independent items go in cycle 1; that is one issue event.
TEST(OneWarp, may_issue_several_items_in_a_cycle) {
  Input input = input_of_warps(1);
  input.hardware.instructions_per_warp = 2;
  add(input, ItemKind::ialu, 6);
  add(input, ItemKind::dalu, 6);
  EXPECT_EQ(cycles(input), 3);
  EXPECT_EQ(predict(input)->warp_issue_events, 1U);
}

// 64 lanes are two slots: of six warps two issue in each of cycles 1, 2 and 3; the last end in 4 and 5.
TEST(ManyWarps, share_the_slots_of_a_port) {
  Input input = input_of_warps(6);
  input.hardware.sp_lanes = 64;
  add(input, ItemKind::falu, 6);
  EXPECT_EQ(cycles(input), 5);
}

// 63 lanes are one slot, and so is a single lane: six warps take cycles 1 to 6.
TEST(ManyWarps, have_at_least_one_slot_of_every_kind) {
  for (const std::uint32_t lanes : {1U, 63U}) {
    Input input = input_of_warps(6);
    input.hardware.sf_lanes = lanes;
    add(input, ItemKind::sfu, 6);
    EXPECT_EQ(cycles(input), 8) << lanes;
  }
}

// Two schedulers: warps 0 and 1 arrive in cycle 1, 2 and 3 in cycle 2, at whose end all are let go. Then
// 0 and 1 issue in 3, 2 and 3 in 4; 2 and 3 are at their end in 5.
TEST(ManyWarps, leave_a_barrier_together) {
  Input input = input_of_warps(4);
  input.hardware.warp_schedulers = 2;
  add(input, ItemKind::thread_sync);
  add(input, ItemKind::ialu, 6);
  EXPECT_EQ(cycles(input), 6);
}

// The load of cycle 1 is there at 1 + 100; the barrier waits for it (looks again in 102), although nothing
// names it; end in 103 and 104.
TEST(ManyWarps, wait_at_a_barrier_for_all_their_own_results) {
  Input input = input_of_warps(2);
  input.launch.l2_hit = 1;
  add(input, ItemKind::global);
  add(input, ItemKind::thread_sync);
  EXPECT_EQ(cycles(input), 104);
}

} // namespace
} // namespace kerncast::ppt_gpu_2019::testing
