// Claims: blocks per SM is the least of five quotients, without allocation granularity.
#include <gmock/gmock.h>

#include "simple_input.h"

namespace kerncast::ppt_gpu_2019::testing {
namespace {

Input many_blocks() {
  Input input = input_of_warps(4);
  input.launch.grid_blocks = 1000;
  add(input, ItemKind::ialu, 6);
  return input;
}

// Blocks of 128 threads: 2048 / 128.
TEST(BlocksPerSm, are_limited_by_threads) { EXPECT_EQ(predict(many_blocks())->blocks_per_sm, 16U); }

// 65536 / (128 x 33 registers) = 15.5.
TEST(BlocksPerSm, are_limited_by_registers) {
  Input input = many_blocks();
  input.launch.registers_per_thread = 33;
  EXPECT_EQ(predict(input)->blocks_per_sm, 15U);
}

// 65536 / 5000 bytes = 13.1.
TEST(BlocksPerSm, are_limited_by_shared_memory) {
  Input input = many_blocks();
  input.launch.shared_bytes_per_block = 5000;
  EXPECT_EQ(predict(input)->blocks_per_sm, 13U);
}

TEST(BlocksPerSm, are_limited_by_the_sms_block_slots) {
  Input input = many_blocks();
  input.hardware.max_blocks_per_sm = 3;
  EXPECT_EQ(predict(input)->blocks_per_sm, 3U);
}

// 168 blocks on 24 SMs are 7 each (002, Table 4: NN on the Titan X).
TEST(BlocksPerSm, are_limited_by_an_even_share_of_the_grid) {
  Input input = many_blocks();
  input.launch.grid_blocks = 168;
  input.hardware.sms = 24;
  EXPECT_EQ(predict(input)->blocks_per_sm, 7U);
}

TEST(BlocksPerSm, of_zero_is_an_error_that_names_the_resource) {
  Input input = many_blocks();
  input.launch.shared_bytes_per_block = 65537;
  const Expected<Result> result = predict(input);
  ASSERT_FALSE(result);
  EXPECT_THAT(render(result.error()), ::testing::HasSubstr("its shared memory"));
}

TEST(Latencies, beyond_a_million_cycles_are_an_error) {
  Input input = many_blocks();
  input.hardware.local_latency = 1e7;
  add(input, ItemKind::local);
  EXPECT_FALSE(predict(input));
}

TEST(Tasklists, without_items_are_an_error) { EXPECT_FALSE(predict(input_of_warps(1))); }

} // namespace
} // namespace kerncast::ppt_gpu_2019::testing
