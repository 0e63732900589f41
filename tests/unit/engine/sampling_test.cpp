// Where long runs are sampled.
#include <gtest/gtest.h>

#include "continued_run.h"

namespace kerncast::engine {
namespace {

// 10 chunks of 100: samples of 100, 200 and 400 of the 1000, which are no more than half.
TEST(sampling, doubles_chunks_up_to_a_part_of_the_run) {
  const auto sampling = sampling_of(1000, 100, 1, 2);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->chunk, 100U);
  EXPECT_EQ(sampling->doublings, 2U);
  EXPECT_EQ(sampling->at(0), 100U);
  EXPECT_EQ(sampling->at(2), 400U);
  EXPECT_EQ(sampling->chunks(), 10U);
}

// A quarter is 250: samples of 63 and 126 fit, but not one of 252.
TEST(sampling, needs_two_rates) { EXPECT_FALSE(sampling_of(1000, 63, 1, 4)); }

// Of chunks from 30 to 31: 1003 is 32 times 31 and 11, 33 times 30 and 13.
TEST(sampling, takes_the_chunk_with_the_smallest_rest) {
  const auto sampling = sampling_of(1003, 30, 1, 4);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->chunk, 31U);
  EXPECT_EQ(sampling->rest, 11U);
  EXPECT_EQ(sampling->at(0), 42U);
}

// 1093 CTAs, 8 resident: 1093 is 4 modulo 33, but every sample must end with the same part of a wave.
TEST(sampling, keeps_waves_whole) {
  const auto sampling = sampling_of(1093, 32, 8, 2);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->chunk % 8, 0U);
  EXPECT_EQ(sampling->at(1) % 8, 1093U % 8);
}

} // namespace
} // namespace kerncast::engine
