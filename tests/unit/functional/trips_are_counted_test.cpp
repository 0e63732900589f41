// Counts of executed instructions and of loop iterations, by warps and by threads.
#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

// Thread t goes round t + 1 times: 1 + 2 + ... + 32 = 528 iterations by threads; the warp goes round 32
// times.
TEST(Trips, AreCountedByWarpsAndByThreads) {
  const Code code =
      Code::of_text(text_kernel("mov.u32 %x, 0;\nLOOP:\nadd.u32 %x, %x, 1;\nsetp.le.u32 %p, %x, %t;\n"
                                "@%p bra LOOP;\nst.global.u32 [%pb], %x;"));
  Device device;
  const Argument b = device.buffer(std::vector<std::uint32_t>(32));
  const auto result = device.run(code, {1}, {32}, {b, b, integer(0)});
  ASSERT_EQ(result.loops.size(), 1U);
  EXPECT_EQ(result.loops[0].label, "LOOP");
  EXPECT_EQ(result.loops[0].warp_entries, 1U);
  EXPECT_EQ(result.loops[0].lane_entries, 32U);
  EXPECT_EQ(result.loops[0].warp_headers, 32U);
  EXPECT_EQ(result.loops[0].lane_headers, 528U);
  // 8 instructions before the loop, 3 in it, 2 behind it.
  EXPECT_EQ(result.warp_instructions, 8U + 3 * 32 + 2);
  EXPECT_EQ(result.lane_instructions, (8U + 2) * 32 + 3 * 528);
  EXPECT_EQ(device.read<std::uint32_t>(b)[31], 32U);
}

// The clock goes on from reading to reading, and in a loop by the steps of its block; all lanes see the same.
TEST(Trips, MoveTheClock) {
  const auto words = words_after("mov.u32 %x, %clock;\nmov.u32 %y, %clock;\nsub.u32 %x, %y, %x;\n"
                                 "st.global.u32 [%pb], %x;",
                                 iota_words(1));
  EXPECT_EQ(words, std::vector<std::uint32_t>(32, 1));
  const auto waited = words_after("mov.u64 %l, %clock64;\nW:\nmov.u64 %m, %clock64;\nsub.u64 %m, %m, %l;\n"
                                  "setp.lt.u64 %p, %m, 1000;\n@%p bra W;\ncvt.u32.u64 %x, %m;\n"
                                  "st.global.u32 [%pb], %x;",
                                  iota_words(1));
  EXPECT_GE(waited[31], 1000U);
  EXPECT_LT(waited[31], 1010U);
}

TEST(Trips, ALaunchIsGivenUpAtItsLimit) {
  const Code code = Code::of_text(text_kernel("st.global.u32 [%pb], %t;"));
  Device device;
  const Argument b = device.buffer(std::vector<std::uint32_t>(32));
  functional::RunOptions options;
  options.max_warp_instructions = 20;
  EXPECT_TRUE(device.run(code, {100}, {32}, {b, b, integer(0)}, options).given_up);
  options.max_warp_instructions = 2000;
  EXPECT_FALSE(device.run(code, {100}, {32}, {b, b, integer(0)}, options).given_up);
}

} // namespace
} // namespace kerncast::functional_test
