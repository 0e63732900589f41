// Occupancy before compute capability 3.5, which today's calculator no longer knows: the documented rules of
// the CUDA occupancy calculator of that time, and what dissertation 001 (sec. 5.7) observes.
#include <set>

#include <gtest/gtest.h>

#include "configs/occupancy.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

std::uint32_t ctas(const Gpu& gpu, std::uint32_t threads, std::uint32_t registers, std::uint32_t bytes) {
  const auto result = occupancy({threads, registers, bytes, 0}, gpu);
  return result ? result->ctas_per_sm : 0;
}

// 8 warps of 32 threads with 10 registers take 2560 of 8192: three CTAs. With 11 they take 2816: two.
TEST(OlderCapabilities, RegistersAreGrantedToWholeCtasOnG80) {
  const Gpu gpu = shipped_gpu("8800gtx");
  EXPECT_EQ(ctas(gpu, 256, 10, 0), 3U);
  EXPECT_EQ(ctas(gpu, 256, 11, 0), 2U);
}

// 3 warps count as 4: 4 * 32 * 21 = 2688 registers, rounded to 2816; 8192 hold two. As 3 warps they would
// be 2016, rounded to 2048, and four CTAs would fit.
TEST(OlderCapabilities, WarpsOfACtaAreRoundedToPairs) {
  EXPECT_EQ(ctas(shipped_gpu("8800gtx"), 96, 21, 0), 2U);
}

// 8 * 32 * 16 = 4096 of 16384: four CTAs. 17 registers: 4352, rounded to 4608: three.
TEST(OlderCapabilities, Gt200RoundsToFiveHundredAndTwelveRegisters) {
  const Gpu gpu = shipped_gpu("gtx280");
  EXPECT_EQ(ctas(gpu, 256, 16, 0), 4U);
  EXPECT_EQ(ctas(gpu, 256, 17, 0), 3U);
}

// 32 * 21 = 672 registers a warp, rounded to 704; 32768 hold 46 warps, five CTAs of eight.
TEST(OlderCapabilities, FermiGrantsRegistersToWarps) {
  EXPECT_EQ(ctas(shipped_gpu("gtx480"), 256, 21, 0), 5U);
  EXPECT_EQ(ctas(shipped_gpu("gtx480"), 256, 20, 0), 6U); // 640 a warp, 50 warps, of which 48 may reside
}

TEST(OlderCapabilities, SixtyThreeRegistersAreTheMostBeforeThreeFive) {
  for (const char* name : {"gtx480", "gtx680"}) {
    EXPECT_GT(ctas(shipped_gpu(name), 128, 63, 0), 0U) << name;
    EXPECT_EQ(ctas(shipped_gpu(name), 128, 64, 0), 0U) << name;
  }
}

// 001 sec. 5.7: 49152 / 3072 = 16; 3073 is rounded to 3328, and 49152 / 3328 = 14.8.
TEST(OlderCapabilities, OneByteMoreTakesTwoCtasOnKepler) {
  const Gpu gpu = shipped_gpu("gtx680");
  EXPECT_EQ(ctas(gpu, 64, 16, 3072), 16U);
  EXPECT_EQ(ctas(gpu, 64, 16, 3073), 14U);
}

// 001 sec. 5.7: 16 KiB are 32 pieces of 512 bytes; CTAs of 4 pieces are eight, of 5 pieces six.
TEST(OlderCapabilities, SevenCtasCannotBeReachedBySharedMemoryOnG80AndGt200) {
  for (const char* name : {"8800gtx", "gtx280"}) {
    const Gpu gpu = shipped_gpu(name);
    std::set<std::uint32_t> reached;
    for (std::uint32_t bytes = 0; bytes <= gpu.limits.shared_bytes_per_cta; ++bytes)
      reached.insert(ctas(gpu, 64, 8, bytes));
    EXPECT_EQ(reached, (std::set<std::uint32_t>{1, 2, 3, 4, 5, 6, 8})) << name;
  }
}

// 001 sec. 5.7: a CTA has at most 48 of the SM's 96 KiB.
TEST(OlderCapabilities, SharedMemoryCannotEnforceASingleCtaOnMaxwell) {
  const Gpu gpu = shipped_gpu("titan-x");
  EXPECT_EQ(ctas(gpu, 64, 16, 49152), 2U);
  EXPECT_EQ(ctas(gpu, 64, 16, 49153), 0U);
}

} // namespace
} // namespace kerncast::configs::test
