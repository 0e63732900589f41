// Collectives take what Thakur, Rabenseifner and Gropp (2005) say of their algorithms, with p ranks, latency
// alpha, n bytes and beta per byte. On one node alpha is 2 us and beta 1 us per 1000 bytes.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace kerncast::ranks {
namespace {

using namespace test;

constexpr double alpha = 2;
constexpr std::uint64_t n = 8000;
constexpr double n_beta = 8;

double time_us(CommunicationOp op, Algorithm algorithm, std::uint32_t p, std::uint64_t bytes = n) {
  const Topology topology(cluster(1, p), p);
  return static_cast<double>(CollectiveCosts(topology).cost(op, algorithm, bytes, 0).time) /
         picoseconds_per_us;
}

TEST(Collectives, AllReduceOfARing) {
  // 2 (p - 1) alpha + 2 (p - 1) / p n beta
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_reduce, Algorithm::ring, 8), 14 * alpha + 14.0 / 8 * n_beta);
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_reduce, Algorithm::ring, 5), 8 * alpha + 8.0 / 5 * n_beta);
}

TEST(Collectives, AllReduceByRecursiveDoubling) {
  // lg p (alpha + n beta); 6 ranks are 4 and a step before and after
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_reduce, Algorithm::recursive_doubling, 8),
                   3 * (alpha + n_beta));
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_reduce, Algorithm::recursive_doubling, 6),
                   4 * (alpha + n_beta));
}

TEST(Collectives, AllReduceByRecursiveHalving) {
  // 2 lg p alpha + 2 (p - 1) / p n beta
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_reduce, Algorithm::recursive_halving, 8),
                   6 * alpha + 14.0 / 8 * n_beta);
}

TEST(Collectives, Broadcasts) {
  // ceil(lg p) (alpha + n beta), and (lg p + p - 1) alpha + 2 (p - 1) / p n beta
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::broadcast, Algorithm::binomial_tree, 8), 3 * (alpha + n_beta));
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::broadcast, Algorithm::binomial_tree, 5), 3 * (alpha + n_beta));
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::broadcast, Algorithm::scatter_all_gather, 8),
                   (3 + 7) * alpha + 14.0 / 8 * n_beta);
}

TEST(Collectives, GatherAndScatter) {
  // (p - 1) alpha or lg p alpha, and (p - 1) / p n beta
  for (const CommunicationOp op : {CommunicationOp::all_gather, CommunicationOp::reduce_scatter})
    EXPECT_DOUBLE_EQ(time_us(op, Algorithm::ring, 8), 7 * alpha + 7.0 / 8 * n_beta);
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_gather, Algorithm::recursive_doubling, 8),
                   3 * alpha + 7.0 / 8 * n_beta);
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::reduce_scatter, Algorithm::recursive_halving, 8),
                   3 * alpha + 7.0 / 8 * n_beta);
}

TEST(Collectives, AllToAll) {
  // (p - 1) alpha + (p - 1) / p n beta, and lg p alpha + n / 2 lg p beta
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_to_all, Algorithm::pairwise, 8),
                   7 * alpha + 7.0 / 8 * n_beta);
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::all_to_all, Algorithm::bruck, 8), 3 * (alpha + n_beta / 2));
}

TEST(Collectives, BarriersTakeLogarithmicallyManyLatencies) {
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::barrier, Algorithm::dissemination, 8, 0), 3 * alpha);
  EXPECT_DOUBLE_EQ(time_us(CommunicationOp::barrier, Algorithm::dissemination, 9, 0), 4 * alpha);
}

// 8 bytes: 3 alpha against 14; 8 MB: 14 ms of bytes against 24.
TEST(Collectives, TakeTheCheapestAlgorithmUnlessToldOtherwise) {
  const Topology topology(cluster(1, 8), 8);
  CollectiveCosts costs(topology);
  const auto chosen = [&](std::uint64_t bytes) {
    return costs.cost(CommunicationOp::all_reduce, Algorithm::cheapest, bytes, 0).algorithm;
  };
  EXPECT_EQ(chosen(8), Algorithm::recursive_doubling);
  EXPECT_EQ(chosen(8000000), Algorithm::recursive_halving);
}

// Two nodes of two GPUs and one card each. In a step of the ring one message enters each node: nothing is
// shared, alpha is that of 4 links. In the step of recursive doubling over the farther bit two messages share
// the card: 4 alpha', twice n beta.
TEST(Collectives, ShareLinksWithinAStep) {
  const Topology topology(cluster(2, 2), 4);
  CollectiveCosts costs(topology);
  const auto time = [&](Algorithm algorithm) {
    return static_cast<double>(costs.cost(CommunicationOp::all_reduce, algorithm, n, 0).time) /
           picoseconds_per_us;
  };
  EXPECT_DOUBLE_EQ(time(Algorithm::ring), 6 * (4 + n_beta / 4));
  EXPECT_DOUBLE_EQ(time(Algorithm::recursive_doubling), (2 + n_beta) + (4 + 2 * n_beta));
}

// Rank 2 comes 10 us later: all end 6 alpha and 3 / 2 n beta after that.
TEST(Collectives, BeginWhenAllHaveCome) {
  std::vector<std::vector<Event>> ranks(4);
  ranks[2].emplace_back(KernelEvent{0, 0, 1});
  for (auto& rank : ranks)
    rank.emplace_back(collective(CommunicationOp::all_reduce, n, Algorithm::ring));
  const RanksResult result = run(program(ranks), cluster(1, 4));
  for (const RankOutcome& rank : result.ranks) {
    EXPECT_DOUBLE_EQ(rank.statistics.end_us, 10 + 6 * alpha + 1.5 * n_beta);
    EXPECT_EQ(rank.statistics.waiting_us, rank.rank == 2 ? 0 : 10);
  }
  ASSERT_EQ(result.collectives.size(), 1);
  EXPECT_EQ(result.collectives[0].count, 1);
  EXPECT_EQ(critical_path(result).ranks.back(), 2);
}

TEST(Collectives, OfOneRankTakeNoTime) {
  EXPECT_EQ(end_us(run(program({{KernelEvent{0, 0, 1}, collective(CommunicationOp::all_reduce, n)}}),
                       cluster(1, 1))),
            10);
}

} // namespace
} // namespace kerncast::ranks
