// Sectors (32 bytes) and lines (128 bytes) that a warp touches, from its lanes' addresses.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "memory_model/request.h"

namespace kerncast::memory_model {
namespace {

LaneAddresses strided(std::uint64_t first, std::uint64_t stride, std::uint32_t bytes,
                      std::uint32_t mask = ~0U) {
  LaneAddresses lanes{true, mask, bytes, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    lanes.offsets[lane] = first + lane * stride;
  return lanes;
}

void expect_touched(const LaneAddresses& lanes, std::uint32_t sectors, std::uint32_t lines) {
  const Coalescing touched = coalesce(lanes, configs::Cache{});
  EXPECT_EQ(touched.sectors, sectors);
  EXPECT_EQ(touched.lines, lines);
}

// 32 x 4 bytes side by side: 128 bytes, one line of four sectors.
TEST(coalescing, consecutive_words_are_one_line) { expect_touched(strided(0, 4, 4), 4, 1); }

// The same from 4 bytes on: bytes 4 to 131 reach into a second line.
TEST(coalescing, a_shift_by_one_word_adds_a_sector_and_a_line) { expect_touched(strided(4, 4, 4), 5, 2); }

TEST(coalescing, consecutive_doubles_are_two_lines) { expect_touched(strided(0, 8, 8), 8, 2); }
TEST(coalescing, consecutive_float4_are_four_lines) { expect_touched(strided(0, 16, 16), 16, 4); }

// Stride 128 bytes: every lane its own line.
TEST(coalescing, a_stride_of_a_line_coalesces_nothing) { expect_touched(strided(0, 128, 4), 32, 32); }

TEST(coalescing, all_lanes_at_one_address_are_one_sector) { expect_touched(strided(64, 0, 4), 1, 1); }

// A value of 8 bytes at byte 28 lies in two sectors.
TEST(coalescing, an_unaligned_value_touches_two_sectors) { expect_touched(strided(28, 0, 8), 2, 1); }

// Lanes 0 to 7 read 32 bytes.
TEST(coalescing, inactive_lanes_touch_nothing) { expect_touched(strided(0, 4, 4, 0xff), 1, 1); }
TEST(coalescing, a_warp_without_active_lanes_touches_nothing) { expect_touched(strided(0, 4, 4, 0), 0, 0); }

TEST(coalescing, unknown_addresses_are_one_line_per_active_lane) {
  expect_touched({false, 0xffff, 4, {}}, 16, 16);
}

TEST(shared_memory, consecutive_words_have_no_conflict) {
  EXPECT_EQ(shared_wavefronts(strided(0, 4, 4), {}), 1U);
}

// Stride 2 words: 16 banks, two different words each.
TEST(shared_memory, a_stride_of_two_words_conflicts_twofold) {
  EXPECT_EQ(shared_wavefronts(strided(0, 8, 4), {}), 2U);
}

TEST(shared_memory, a_stride_of_32_words_serialises_all_lanes) {
  EXPECT_EQ(shared_wavefronts(strided(0, 128, 4), {}), 32U);
}

// 33 words: lane i in bank i.
TEST(shared_memory, padding_by_one_word_removes_the_conflict) {
  EXPECT_EQ(shared_wavefronts(strided(0, 132, 4), {}), 1U);
}

TEST(shared_memory, lanes_that_read_one_word_share_it) {
  EXPECT_EQ(shared_wavefronts(strided(0, 0, 4), {}), 1U);
}

// 32 x 8 bytes are two rows of the banks, 32 x 16 bytes four.
TEST(shared_memory, wide_accesses_take_a_wavefront_per_row) {
  EXPECT_EQ(shared_wavefronts(strided(0, 8, 8), {}), 2U);
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 16), {}), 4U);
}

configs::SharedMemory banks(std::uint32_t count) {
  configs::SharedMemory shared;
  shared.banks = count;
  return shared;
}

// 256 bytes fit a row of 64 banks, 512 one of 128.
TEST(shared_memory, a_row_has_as_many_words_as_there_are_banks) {
  EXPECT_EQ(shared_wavefronts(strided(0, 8, 8), banks(64)), 1U);
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 16), banks(64)), 2U);
  EXPECT_EQ(shared_wavefronts(strided(0, 8, 8), banks(128)), 1U);
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 16), banks(128)), 1U);
  EXPECT_EQ(shared_wavefronts(strided(0, 8, 8), banks(16)), 4U);
}

// 4 words apart: banks 0, 4, ..., 124 of 128; of 64 banks two lanes have the same.
TEST(shared_memory, every_bank_counts) {
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 4), banks(128)), 1U);
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 4), banks(64)), 2U);
  EXPECT_EQ(shared_wavefronts(strided(0, 128, 4), banks(1024)), 1U);
}

// 16 bytes a lane are four rows; where neighbours, or lanes two apart, read the same place, two.
TEST(shared_memory, packed_pairs_halve_the_wavefronts_of_wide_loads) {
  EXPECT_EQ(shared_wavefronts(strided(0, 0, 16), {}), 4U);
  EXPECT_EQ(shared_wavefronts(strided(0, 0, 16), {}, true), 2U);
  EXPECT_EQ(shared_wavefronts(strided(0, 0, 8), {}, true), 1U);
  EXPECT_EQ(shared_wavefronts(strided(0, 16, 16), {}, true), 4U);
  LaneAddresses neighbours = strided(0, 0, 16), two_apart = strided(0, 0, 16);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    neighbours.offsets[lane] = 16ULL * (lane / 2);
    two_apart.offsets[lane] = 16ULL * (lane / 4 * 2 + lane % 2);
  }
  EXPECT_EQ(shared_wavefronts(neighbours, {}), 4U);
  EXPECT_EQ(shared_wavefronts(neighbours, {}, true), 2U);
  EXPECT_EQ(shared_wavefronts(two_apart, {}, true), 2U);
}

TEST(constant_memory, one_pass_per_distinct_address) {
  EXPECT_EQ(constant_passes(strided(0, 0, 4)), 1U);
  EXPECT_EQ(constant_passes(strided(0, 4, 4, 0xf)), 4U);
}

// Of two words in two banks half of the cases have both in one: 1.5. Three words in two banks: all in one
// with a chance of a quarter, 0.25 x 3 + 0.75 x 2.
TEST(scattered_lanes, want_as_many_words_as_the_fullest_bank_has_on_average) {
  EXPECT_DOUBLE_EQ(words_of_fullest_bank(1, 32), 1);
  EXPECT_DOUBLE_EQ(words_of_fullest_bank(2, 2), 1.5);
  EXPECT_DOUBLE_EQ(words_of_fullest_bank(3, 2), 2.25);
  EXPECT_DOUBLE_EQ(words_of_fullest_bank(32, 1), 32);
}

// Against 20,000 draws.
TEST(scattered_lanes, are_as_in_many_draws) {
  std::uint64_t state = 1;
  double sum = 0;
  constexpr int draws = 20'000;
  for (int draw = 0; draw < draws; ++draw) {
    std::array<int, 32> words{};
    for (int lane = 0; lane < 32; ++lane) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      ++words[state >> 59];
    }
    sum += *std::max_element(words.begin(), words.end());
  }
  LaneAddresses lanes{false, ~0U, 4, {}};
  EXPECT_EQ(shared_wavefronts(lanes, {}), 1) << "unknown in another way";
  lanes.scattered = true;
  EXPECT_NEAR(shared_wavefronts(lanes, {}), sum / draws, 0.02);
  EXPECT_EQ(shared_atomic_wavefronts(lanes, {}), shared_wavefronts(lanes, {}));
  lanes.mask = 1;
  EXPECT_DOUBLE_EQ(shared_wavefronts(lanes, {}), 1);
  // Sixteen lanes a part, each with a pair of 16 pairs of banks.
  lanes.mask = ~0U;
  lanes.bytes_per_lane = 8;
  EXPECT_DOUBLE_EQ(shared_wavefronts(lanes, {}), 2 * words_of_fullest_bank(16, 16));
}

} // namespace
} // namespace kerncast::memory_model
