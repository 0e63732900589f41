// What a launch takes of the GPU, which decides whether others run beside it. On the TITAN X: 24 SMs, each
// with room for 32 CTAs of one warp or for 8 of 256 threads.
#include <gtest/gtest.h>

#include "one_kernel.h"

namespace kerncast {
namespace {

engine::GpuUse use_of(std::uint32_t ctas, std::uint32_t threads) {
  return predict(copy_by(ctas, threads), "titan-x").use.value();
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
