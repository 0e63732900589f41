// What a launch takes of the GPU, which decides whether others run beside it. On the TITAN X: 24 SMs, each
// with room for 32 CTAs of one warp or for 8 of 256 threads.
#include <gtest/gtest.h>

#include "one_kernel.h"

namespace kerncast {
namespace {

// Every thread loads a word of its own and stores it.
constexpr const char* copy = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd5], %f1;
  ret;
}
)";

engine::GpuUse use_of(std::uint32_t ctas, std::uint32_t threads) {
  KernelLaunch kernel{copy, {}, memory_model::HitRates{0, 0}};
  kernel.launch.grid.x = ctas;
  kernel.launch.block.x = threads;
  kernel.launch.registers = 32;
  for (std::uint32_t i = 0; i < 2; ++i)
    kernel.launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, i, 64U << 20});
  return predict(kernel, "titan-x").use.value();
}

TEST(GpuUse, CountsTheSmsThatHaveCtas) {
  EXPECT_DOUBLE_EQ(use_of(6, 32).sms, 6 / 24.0);
  EXPECT_DOUBLE_EQ(use_of(24, 32).sms, 1);
  EXPECT_DOUBLE_EQ(use_of(25, 32).sms, 1);
}

TEST(GpuUse, CountsTheRoomOfTheSmWithTheMostCtas) {
  EXPECT_DOUBLE_EQ(use_of(6, 32).residency, 1 / 32.0);
  EXPECT_DOUBLE_EQ(use_of(25, 32).residency, 2 / 32.0);
  EXPECT_DOUBLE_EQ(use_of(3 * 24, 256).residency, 3 / 8.0);
  EXPECT_DOUBLE_EQ(use_of(8 * 24, 256).residency, 1);
  EXPECT_DOUBLE_EQ(use_of(100 * 24, 256).residency, 1);
}

TEST(GpuUse, IsThatOfBandwidthForAStream) {
  const engine::GpuUse large = use_of(100 * 24, 256);
  const engine::GpuUse small = use_of(6, 32);
  EXPECT_GT(large.bandwidth, 0.75);
  EXPECT_LT(small.bandwidth, 0.25);
  EXPECT_GE(large.busiest, large.bandwidth);
  EXPECT_LE(large.busiest, 1);
}

} // namespace
} // namespace kerncast
