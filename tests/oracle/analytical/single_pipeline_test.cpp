// Equation 1 of paper 000: W warps of N dependent instructions in one pipeline.
#include <gtest/gtest.h>

#include "analytical/single_pipeline.h"

namespace kerncast::analytical {
namespace {

// W lambda = 4 x 2 <= 18: 10 x 18 + 3 x 2.
TEST(SinglePipelineEq1, is_bound_by_latency_with_few_warps) {
  EXPECT_EQ(single_pipeline_cycles({.warps = 4, .instructions = 10, .issue_interval = 2, .latency = 18}),
            186);
}

// W lambda = 10 x 2 > 18: 18 + (100 - 1) x 2.
TEST(SinglePipelineEq1, is_bound_by_the_interval_with_many_warps) {
  EXPECT_EQ(single_pipeline_cycles({.warps = 10, .instructions = 10, .issue_interval = 2, .latency = 18}),
            216);
}

// At W lambda = Lambda both lines meet: N Lambda + Lambda - lambda.
TEST(SinglePipelineEq1, has_no_step_where_the_bounds_meet) {
  EXPECT_EQ(single_pipeline_cycles({.warps = 9, .instructions = 10, .issue_interval = 2, .latency = 18}),
            18 + (10 * 9 - 1) * 2);
}

TEST(SinglePipelineEq1, takes_the_latencies_of_one_warp_one_after_the_other) {
  EXPECT_EQ(single_pipeline_cycles({.warps = 1, .instructions = 7, .issue_interval = 1, .latency = 6}), 42);
}

} // namespace
} // namespace kerncast::analytical
