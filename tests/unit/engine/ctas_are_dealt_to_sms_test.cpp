// Which CTAs the SMs get, worked out by hand.
#include <gtest/gtest.h>

#include "spread.h"

namespace kerncast::engine {
namespace {

struct ExpectedShare {
  std::uint64_t sm_count, ctas;
  double of_work;
  std::vector<std::uint64_t> of_kind;
};

void expect_spread(const std::vector<GridKind>& kinds, std::uint64_t sms,
                   const std::vector<ExpectedShare>& expected) {
  const std::vector<SmShare> shares = spread(kinds, sms);
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t s = 0; s < shares.size(); ++s) {
    EXPECT_EQ(shares[s].sm_count, expected[s].sm_count) << s;
    EXPECT_EQ(shares[s].ctas, expected[s].ctas) << s;
    EXPECT_DOUBLE_EQ(shares[s].of_work, expected[s].of_work) << s;
    std::vector<std::uint64_t> of_kind(kinds.size());
    for (const CtaRun& run : shares[s].sequence)
      of_kind[run.kind] += run.count;
    EXPECT_EQ(of_kind, expected[s].of_kind) << s;
  }
}

TEST(spread, of_one_kind_gives_some_sms_one_more) {
  expect_spread({{10, 7}}, 4, {{2, 3, 0.3, {3}}, {2, 2, 0.2, {2}}});
  expect_spread({{8, 7}}, 4, {{4, 2, 0.25, {2}}});
  expect_spread({{3, 7}}, 4, {{3, 1, 1 / 3.0, {1}}});
}

// A quarter of the CTAs work: they are on SMs of their own.
TEST(spread, of_one_cta_per_sm_keeps_kinds_apart) {
  expect_spread({{12, 1}, {4, 24}}, 16, {{4, 1, 24 / 108.0, {0, 1}}, {12, 1, 1 / 108.0, {1, 0}}});
}

// Three heavy ones, then five light ones: SMs 0 to 2 get one of each, SM 3 two light ones.
TEST(spread, deals_the_heavy_ones_first) {
  expect_spread({{3, 10}, {5, 1}}, 4, {{3, 2, 11 / 35.0, {1, 1}}, {1, 2, 2 / 35.0, {0, 2}}});
  expect_spread({{3, 10}, {4, 1}}, 4, {{3, 2, 11 / 34.0, {1, 1}}, {1, 1, 1 / 34.0, {0, 1}}});
}

// Work that differs by less than 5 % makes no difference; there is one group, of the kind of most SMs.
TEST(spread, takes_sms_with_nearly_the_same_work_together) {
  expect_spread({{6, 100}, {2, 98}}, 8, {{8, 1, 100 / 796.0, {1, 0}}});
}

TEST(spread, of_many_ctas_mixes_kinds_in_proportion) {
  expect_spread({{64, 10}, {16, 1}}, 8, {{8, 10, 1 / 8.0, {8, 2}}});
  expect_spread({{60, 10}, {20, 1}}, 8, {{4, 10, 82 / 620.0, {8, 2}}, {4, 10, 73 / 620.0, {7, 3}}});
}

// One that takes as long as all others of its SM together is not lost among them.
TEST(spread, of_many_ctas_keeps_the_one_that_takes_long) {
  expect_spread({{799, 1}, {1, 100}}, 8, {{1, 100, 199 / 899.0, {99, 1}}, {7, 100, 100 / 899.0, {100, 0}}});
}

// As many instructions, but other bytes: an SM for each kind, and those with the same bytes together.
TEST(spread, of_other_bulk_copies_keeps_kinds_apart) {
  expect_spread({{9, 10, 4096}, {6, 10, 2048}, {1, 10, 1024}}, 16,
                {{9, 1, 1 / 16.0, {1, 0, 0}}, {6, 1, 1 / 16.0, {0, 1, 0}}, {1, 1, 1 / 16.0, {0, 0, 1}}});
  expect_spread({{9, 10, 4096}, {7, 10, 4096}}, 16, {{16, 1, 1 / 16.0, {1, 0}}});
}

std::vector<std::uint32_t> order_of(const std::vector<CtaRun>& sequence) {
  std::vector<std::uint32_t> kinds;
  for (const CtaRun& run : sequence)
    kinds.insert(kinds.end(), run.count, run.kind);
  return kinds;
}

TEST(sequence, is_that_of_the_grid) {
  // The first quarter is of kind 0, the second of kind 1, then both alternate; kind 2 is in the last row.
  const std::vector<GridKind> kinds = {{8, 1, 0, {0, 0.25}},
                                       {8, 1, 0, {0.25, 0.5}},
                                       {8, 1, 0, {0.5, 1}},
                                       {8, 1, 0, {0.5, 1}},
                                       {2, 1, 0, {0.9, 1}}};
  const std::vector<SmShare> shares = spread(kinds, 2);
  ASSERT_EQ(shares.size(), 1U);
  using Kinds = std::vector<std::uint32_t>;
  EXPECT_EQ(order_of(shares[0].sequence), (Kinds{0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 2, 3, 2, 3, 2, 3, 4}));
}

TEST(sequence, mixes_evenly_what_lies_all_over_the_grid) {
  const std::vector<SmShare> shares = spread(std::vector<GridKind>{{12, 1, 0}, {4, 1, 0}}, 2);
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(order_of(shares[0].sequence), (std::vector<std::uint32_t>{0, 0, 1, 0, 0, 0, 1, 0}));
}

} // namespace
} // namespace kerncast::engine
