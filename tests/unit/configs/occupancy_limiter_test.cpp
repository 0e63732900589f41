// CTAs per SM and the limiter that is named, with the arithmetic of the allocation rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configs/occupancy.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

void expect(const CtaResources& cta, const Gpu& gpu, std::uint32_t ctas, std::uint32_t warps,
            Limiter limiter) {
  const auto result = occupancy(cta, gpu);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->ctas_per_sm, ctas);
  EXPECT_EQ(result->warps_per_sm, warps);
  EXPECT_EQ(result->fraction, static_cast<double>(warps) / gpu.limits.warps_per_sm);
  EXPECT_EQ(name(result->limiter), name(limiter));
}

std::string refusal(const CtaResources& cta, const Gpu& gpu) {
  const auto result = occupancy(cta, gpu);
  return result ? "it fits" : render(result.error());
}

// 38 * 32 = 1216, rounded up to 1280 registers per warp. A quarter of the registers is 16384: 12 warps, 48
// per SM; 48 / 8 = 6 CTAs. 002 Table 4: HOTSPOT (6, 48).
TEST(OccupancyLimiter, RegistersAreGrantedPerWarpAndPartition) {
  expect({256, 38, 0, 7396}, shipped_gpu("titan-x"), 6, 48, Limiter::registers);
}

// 37 registers round up to the same 1280 per warp.
TEST(OccupancyLimiter, RegistersAreRoundedUp) {
  expect({256, 37, 0, 0}, shipped_gpu("titan-x"), 6, 48, Limiter::registers);
}

// 168 CTAs over 24 SMs are 7; 64 / 8 = 8 would fit. 002 Table 4: NN (7, 56).
TEST(OccupancyLimiter, GridLimitsWhatReachesAnSm) {
  expect({256, 16, 0, 168}, shipped_gpu("titan-x"), 7, 56, Limiter::grid);
}

// The remainder goes somewhere: 169 CTAs over 24 SMs put 8 on one of them, as many as fit.
TEST(OccupancyLimiter, GridIsNamedOnlyIfItAloneLimits) {
  expect({256, 16, 0, 169}, shipped_gpu("titan-x"), 8, 64, Limiter::warps);
}

// 002 Table 4 with registers that do not limit: SGEMM and STENCIL (16, 64), LUD and PATHFINDER (8, 64), BFS
// (4, 64), GAUSSIAN (32, 32).
TEST(OccupancyLimiter, RemainingRowsOf002Table4) {
  const Gpu gpu = shipped_gpu("titan-x");
  expect({128, 32, 0, 528}, gpu, 16, 64, Limiter::registers); // 32 * 32 = 1024: 64 warps, a tie with warps
  expect({128, 24, 0, 1024}, gpu, 16, 64, Limiter::warps);
  expect({256, 24, 0, 16129}, gpu, 8, 64, Limiter::warps);
  expect({256, 24, 0, 463}, gpu, 8, 64, Limiter::warps);
  expect({512, 24, 0, 1954}, gpu, 4, 64, Limiter::warps);
  expect({32, 16, 0, 65536}, gpu, 32, 32, Limiter::ctas);
}

// Compute capability 3.5 holds 16 CTAs, whatever 002 Table 3 says.
TEST(OccupancyLimiter, KeplerHoldsSixteenCtas) {
  expect({32, 16, 0, 65536}, shipped_gpu("k40m"), 16, 16, Limiter::ctas);
}

// 48 KiB / 12 KiB = 4 on Kepler; one byte more takes 12544 bytes, and 3 fit.
TEST(OccupancyLimiter, SharedMemoryIsGrantedInUnits) {
  expect({64, 16, 12288, 0}, shipped_gpu("k40m"), 4, 8, Limiter::shared_memory);
  expect({64, 16, 12289, 0}, shipped_gpu("k40m"), 3, 6, Limiter::shared_memory);
}

// A100: 164 KiB; each CTA takes 1 KiB more than it asks for. 167936 / (40960 + 1024) = 4; without the
// reservation 4.1 would be 4, too, but 41 KiB make 3 (167936 / 43008 = 3.9) instead of 4.
TEST(OccupancyLimiter, SystemReservesSharedMemoryFromAmpereOn) {
  expect({64, 16, 40960, 0}, shipped_gpu("a100-sxm4-40gb"), 4, 8, Limiter::shared_memory);
  expect({64, 16, 41984, 0}, shipped_gpu("a100-sxm4-40gb"), 3, 6, Limiter::shared_memory);
}

TEST(OccupancyLimiter, ThreadsRoundUpToWholeWarps) {
  expect({33, 16, 0, 0}, shipped_gpu("titan-x"), 32, 64, Limiter::warps);
}

TEST(OccupancyLimiter, UnknownRegistersDoNotLimit) {
  expect({1024, 0, 0, 0}, shipped_gpu("titan-x"), 2, 64, Limiter::warps);
}

TEST(OccupancyLimiter, EveryShortageIsNamedWithNeedAndLimit) {
  EXPECT_EQ(
      refusal({2048, 16, 50000, 0}, shipped_gpu("k40m")),
      "error: no CTA fits on 'k40m': it needs 2048 threads, the limit is 1024 (limits.threads_per_cta)\n"
      "note: launch smaller blocks\n"
      "error: no CTA fits on 'k40m': it needs 50176 bytes of shared memory, allocation granularity included, "
      "the limit is 49152 (limits.shared_bytes_per_cta)\n"
      "note: use less shared memory\n");
}

TEST(OccupancyLimiter, RegistersPerThreadHaveALimit) {
  EXPECT_EQ(refusal({32, 256, 0, 0}, shipped_gpu("titan-x")),
            "error: no CTA fits on 'titan-x': it needs 256 registers per thread, the limit is 255 "
            "(limits.registers_per_thread)\n"
            "note: compile with fewer registers (--maxrregcount)\n");
}

// 1024 threads are 32 warps of 65 * 32 = 2080, rounded up to 2304 registers: 73728 of 65536.
TEST(OccupancyLimiter, RegistersPerCtaHaveALimit) {
  EXPECT_EQ(refusal({1024, 65, 0, 0}, shipped_gpu("titan-x")),
            "error: no CTA fits on 'titan-x': it needs 73728 registers, the limit is 65536 "
            "(limits.registers_per_cta)\n"
            "note: launch smaller blocks, or compile with fewer registers (--maxrregcount)\n");
}

TEST(OccupancyLimiter, CtaWithoutThreadsIsRefused) {
  EXPECT_EQ(refusal({0, 16, 0, 0}, shipped_gpu("titan-x")),
            "error: a CTA has no threads\nnote: every dimension of the block must be at least 1\n");
}

TEST(OccupancyLimiter, AbsurdNumbersDoNotOverflow) {
  constexpr std::uint32_t most = UINT32_MAX;
  EXPECT_THAT(refusal({most, most, most, UINT64_MAX}, shipped_gpu("titan-x")),
              testing::HasSubstr("no CTA fits"));
}

// 32 warps of 65,536 registers have 64 a thread; a count that fits stays, and so does one that nothing mends.
TEST(OccupancyLimiter, AnEstimateLeavesRoomForACta) {
  const Gpu gpu = shipped_gpu("a100-sxm4-40gb");
  EXPECT_EQ(fitting_registers({1024, 139, 0, 0}, gpu), 64U);
  EXPECT_EQ(fitting_registers({1024, 40, 0, 0}, gpu), 40U);
  EXPECT_EQ(fitting_registers({256, 139, 0, 0}, gpu), 139U);
  EXPECT_EQ(fitting_registers({65536, 139, 0, 0}, gpu), 139U);
}

} // namespace
} // namespace kerncast::configs::test
