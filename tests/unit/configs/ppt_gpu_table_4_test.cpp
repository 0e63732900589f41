// CTAs and warps per SM as 002's Table 4 prints them, for the rows whose inputs are known.
//
// 002 names no GPU; NN's 168 CTAs make the 7 that it prints only on a TITAN X (24 SMs). Launch geometry and
// shared memory are those of the suites' host programs with the table's inputs, registers any number up to
// 32: 65,536 registers over 64 warps of 32 lanes are 32 for each. Left out: SGEMM and HOTSPOT, which reach
// the printed 16 and 6 CTAs with at most 32 and with 33 to 40 registers; 002 does not say how many they had.
#include <gtest/gtest.h>

#include "configs/occupancy.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

struct Row {
  const char* kernel;
  CtaResources cta; // threads, registers, shared bytes, CTAs of the grid
  std::uint32_t ctas_per_sm;
  std::uint32_t warps_per_sm;
};

class Table4 : public testing::TestWithParam<Row> {};

TEST_P(Table4, IsWhatTheOccupancyRulesGive) {
  const auto result = occupancy(GetParam().cta, shipped_gpu("titan-x"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ctas_per_sm, GetParam().ctas_per_sm);
  EXPECT_EQ(result->warps_per_sm, GetParam().warps_per_sm);
}

INSTANTIATE_TEST_SUITE_P(Of002, Table4,
                         testing::Values(Row{"stencil", {128, 32, 1024, 1024}, 16, 64},
                                         Row{"tpacf, cuda_base", {256, 32, 10240, 201}, 8, 64},
                                         Row{"lud_internal", {256, 30, 2048, 16129}, 8, 64},
                                         Row{"nn", {256, 12, 0, 168}, 7, 56}, // 168 / 24 SMs
                                         Row{"pathfinder", {256, 16, 2048, 463}, 8, 64},
                                         Row{"gaussian, Fan2", {16, 16, 0, 65536}, 32, 32},
                                         Row{"bfs, Kernel", {512, 22, 0, 1954}, 4, 64},
                                         Row{"bfs, Kernel2", {512, 12, 0, 1954}, 4, 64}));

// What 002 prints follows from its unnamed register counts: 33 to 40 allow 6 CTAs, at most 32 allow 16.
TEST(Table4Without, HotspotAndSgemmFollowFromTheRegistersThatItDoesNotName) {
  const Gpu gpu = shipped_gpu("titan-x");
  for (const std::uint32_t registers : {33U, 38U, 40U})
    EXPECT_EQ(occupancy({256, registers, 3072, 7396}, gpu)->ctas_per_sm, 6U) << registers;
  EXPECT_EQ(occupancy({128, 32, 512, 528}, gpu)->ctas_per_sm, 16U);
  EXPECT_EQ(occupancy({128, 44, 512, 528}, gpu)->ctas_per_sm, 10U); // today's compiler
}

} // namespace
} // namespace kerncast::configs::test
