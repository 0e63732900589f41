// Claims: rank correlations as worked out by hand, with ties, and as counted pair by pair.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics/ranks.h"

namespace kerncast::statistics {
namespace {

using Values = std::vector<double>;

TEST(Ranks, are_shared_by_equal_values) {
  EXPECT_EQ(ranks(Values{30, 10, 20}), (Values{3, 1, 2}));
  EXPECT_EQ(ranks(Values{5, 7, 5, 5}), (Values{2, 4, 2, 2})); // (1 + 2 + 3) / 3
  EXPECT_EQ(ranks(Values{}), Values{});
}

TEST(RankCorrelations, of_the_same_and_the_opposite_order) {
  EXPECT_DOUBLE_EQ(*spearman(Values{1, 2, 3}, Values{10, 20, 300}), 1);
  EXPECT_DOUBLE_EQ(*kendall(Values{1, 2, 3}, Values{10, 20, 300}), 1);
  EXPECT_DOUBLE_EQ(*spearman(Values{1, 2, 3}, Values{9, 8, 1}), -1);
  EXPECT_DOUBLE_EQ(*kendall(Values{1, 2, 3}, Values{9, 8, 1}), -1);
}

// Differences of ranks 0, 1, 1, 0: 1 - 6 x 2 / (4 x 15) = 0.8. One pair of six in opposite order: 4 / 6.
TEST(RankCorrelations, of_one_exchange) {
  EXPECT_DOUBLE_EQ(*spearman(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 0.8);
  EXPECT_DOUBLE_EQ(*kendall(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 4.0 / 6);
}

// Ranks 1 2.5 2.5 4 and 1 2 3 4 less 2.5: covariance 2.25 + 0 + 0 + 2.25, variances 4.5 and 5.
// Pairs: five of six differ on the left, all six on the right, none in opposite order: 5 / sqrt(5 x 6).
TEST(RankCorrelations, of_a_tie) {
  EXPECT_DOUBLE_EQ(*spearman(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5));
  EXPECT_DOUBLE_EQ(*kendall(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 5 / std::sqrt(30.0));
}

// Two rows tied on both sides take away their pair from both: 2 of 3 pairs differ on each side, all in order.
TEST(RankCorrelations, of_a_tie_on_both_sides) {
  EXPECT_DOUBLE_EQ(*kendall(Values{1, 1, 2}, Values{4, 4, 9}), 1);
  EXPECT_DOUBLE_EQ(*spearman(Values{1, 1, 2}, Values{4, 4, 9}), 1);
}

TEST(RankCorrelations, need_an_order_on_both_sides) {
  EXPECT_FALSE(spearman(Values{3, 3, 3}, Values{1, 2, 3}));
  EXPECT_FALSE(kendall(Values{3, 3, 3}, Values{1, 2, 3}));
  EXPECT_FALSE(kendall(Values{1, 2, 3}, Values{3, 3, 3}));
  EXPECT_FALSE(spearman(Values{1}, Values{2}));
  EXPECT_FALSE(kendall(Values{1}, Values{2}));
  EXPECT_FALSE(kendall(Values{}, Values{}));
}

// Every pair looked at, as the definition says.
double kendall_pair_by_pair(const Values& a, const Values& b) {
  double sum = 0;
  double differ_a = 0;
  double differ_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int order_a = (a[i] > a[j]) - (a[i] < a[j]);
      const int order_b = (b[i] > b[j]) - (b[i] < b[j]);
      sum += order_a * order_b;
      differ_a += order_a != 0;
      differ_b += order_b != 0;
    }
  return sum / std::sqrt(differ_a * differ_b);
}

TEST(Kendall, counts_what_a_walk_over_all_pairs_counts) {
  std::uint32_t seed = 1;
  const auto next = [&] { return static_cast<double>((seed = seed * 1664525U + 1013904223U) >> 28U); };
  for (std::size_t n : {2U, 3U, 7U, 64U, 201U}) {
    Values a;
    Values b;
    for (std::size_t i = 0; i < n; ++i) {
      a.push_back(next());
      b.push_back(next());
    }
    a[0] = 100; // neither side is constant
    b[0] = -1;
    EXPECT_DOUBLE_EQ(*kendall(a, b), kendall_pair_by_pair(a, b)) << n;
  }
}

} // namespace
} // namespace kerncast::statistics
