// Claim: the memory queue keeps every access until its oldest is done, and is then empty.
#include <gtest/gtest.h>

#include "simple_input.h"

namespace kerncast::ppt_gpu_2019::testing {
namespace {

// Two entries, four independent loads of latency 10 by one warp: issues in 1 and 2; full until the oldest is
// done at 1 + 10; issues in 11 and 12, found at its end in 13 and 14. Had the queue given back only the
// oldest entry, the fourth would have issued in 12 as well.
TEST(MemoryQueue, lets_accesses_pass_when_its_oldest_is_done) {
  Input input = input_of_warps(1);
  input.hardware.memory_queue_entries = 2;
  for (int i = 0; i < 4; ++i)
    add(input, ItemKind::constant);
  EXPECT_EQ(predict(input)->cycles, 14);
}

// Three entries: constants of latency 10 in cycles 1 and 2 and a global access of 200 in cycle 3. At 11 the
// oldest is done and all three go, the global access included: three more issue in 11, 12 and 13.
TEST(MemoryQueue, forgets_younger_accesses_that_are_still_under_way) {
  Input input = input_of_warps(1);
  input.hardware.memory_queue_entries = 3;
  for (const ItemKind kind : {ItemKind::constant, ItemKind::constant, ItemKind::local, ItemKind::constant,
                              ItemKind::constant, ItemKind::constant})
    add(input, kind);
  EXPECT_EQ(predict(input)->cycles, 15);
}

// Shared memory needs no queue: six accesses issue in cycles 1 to 6.
TEST(MemoryQueue, does_not_hold_up_shared_memory) {
  Input input = input_of_warps(1);
  input.hardware.memory_queue_entries = 1;
  add(input, ItemKind::global);
  for (int i = 0; i < 5; ++i)
    add(input, ItemKind::shared);
  EXPECT_EQ(predict(input)->cycles, 8);
}

} // namespace
} // namespace kerncast::ppt_gpu_2019::testing
