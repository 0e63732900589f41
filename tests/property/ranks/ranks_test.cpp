// Of any application: bytes that are sent are received, nobody is busy longer than it runs, times and places
// do not depend on how it is computed, and faster links make nothing slower where nothing is shared.
#include <algorithm>

#include <gtest/gtest.h>

#include "random_ranks.h"

namespace kerncast::ranks {
namespace {

using test::RandomRanks;

constexpr std::uint64_t seeds = 60;

double end_us(const RanksResult& result) {
  double end = 0;
  for (const RankOutcome& rank : result.ranks)
    end = std::max(end, rank.statistics.end_us);
  return end;
}

TEST(RandomRanks, ReceiveWhatIsSent) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomRanks app(seed);
    const RanksResult result = app.run();
    ASSERT_TRUE(result.problems.empty()) << seed;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const RankOutcome& rank : result.ranks) {
      sent += rank.statistics.bytes_sent;
      received += rank.statistics.bytes_received;
    }
    EXPECT_EQ(sent, app.bytes) << seed;
    EXPECT_EQ(received, app.bytes) << seed;
  }
}

TEST(RandomRanks, AreNotBusyLongerThanTheyRun) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const RankOutcome& rank : RandomRanks(seed).run().ranks) {
      const RankStatistics& s = rank.statistics;
      const double rounding = 1e-9 * s.end_us;
      EXPECT_LE(s.compute_us, s.end_us + rounding) << seed;
      EXPECT_LE(s.copy_us, s.end_us + rounding) << seed;
      EXPECT_LE(s.communication_us, s.end_us + rounding) << seed;
      EXPECT_LE(s.exposed_us, s.communication_us + rounding) << seed;
      EXPECT_LE(s.compute_us + s.exposed_us, s.end_us + rounding) << seed;
    }
}

TEST(RandomRanks, HaveACriticalPathAsLongAsTheyRun) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RanksResult result = RandomRanks(seed).run();
    const CriticalPath path = critical_path(result);
    EXPECT_NEAR(path.own_us + path.transfer_us, end_us(result), 1e-6) << seed;
  }
}

TEST(RandomRanks, EndAtTheSameTimeInAnyNumberOfParts) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomRanks app(seed);
    const RanksResult whole = app.run();
    pdes::Execution<RankMessage> in_parts;
    in_parts.placement.parts = 3;
    const RanksResult parts = app.run(in_parts);
    ASSERT_EQ(parts.ranks.size(), whole.ranks.size());
    for (std::size_t i = 0; i < whole.ranks.size(); ++i) {
      EXPECT_EQ(parts.ranks[i].statistics.end_us, whole.ranks[i].statistics.end_us) << seed;
      EXPECT_EQ(parts.ranks[i].statistics.waiting_us, whole.ranks[i].statistics.waiting_us) << seed;
      EXPECT_EQ(parts.ranks[i].spans.size(), whole.ranks[i].spans.size()) << seed;
    }
  }
}

// A queue can pass a message on that another one would have waited for: only where no two share a link does
// more bandwidth never hurt, as in collectives and between two ranks.
TEST(RandomRanks, CollectivesAreNotSlowerWithMoreBandwidth) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomRanks app(seed);
    configs::Cluster faster = app.cluster;
    for (configs::Link* link : {&faster.peer, &faster.nic, &faster.network, &faster.uplink})
      link->bandwidth_gbps *= 1.5;
    const Topology before(app.cluster, app.program.ranks);
    const Topology after(faster, app.program.ranks);
    for (const CommunicationOp op :
         {CommunicationOp::broadcast, CommunicationOp::all_reduce, CommunicationOp::reduce_scatter,
          CommunicationOp::all_gather, CommunicationOp::all_to_all, CommunicationOp::barrier})
      for (const std::uint64_t bytes : {0U, 100U, 10'000U, 1'000'000U})
        EXPECT_LE(CollectiveCosts(after).cost(op, Algorithm::cheapest, bytes, 0).time,
                  CollectiveCosts(before).cost(op, Algorithm::cheapest, bytes, 0).time)
            << seed;
  }
}

TEST(RandomRanks, MessagesThatShareNothingAreNotSlowerWithMoreBandwidth) {
  using timeline::CommunicationEvent;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomRanks app(seed);
    app.program.steps.clear();
    app.program.order = {0, 1};
    std::vector<std::uint32_t> first(app.program.ranks, timeline::RankStep::none);
    std::vector<std::uint32_t> last = first;
    first.front() = last.back() = 0;
    const CommunicationEvent send{.peer = app.program.ranks - 1, .bytes = 5000};
    const CommunicationEvent receive{.op = CommunicationOp::receive, .peer = 0, .bytes = 5000};
    app.program.steps = {{{1, 1}, {send}, first}, {{2, 1}, {receive}, last}};
    const double before = end_us(app.run());
    for (configs::Link* link :
         {&app.cluster.peer, &app.cluster.nic, &app.cluster.network, &app.cluster.uplink}) {
      link->bandwidth_gbps *= 2;
      EXPECT_LE(end_us(app.run()), before) << seed;
    }
  }
}

} // namespace
} // namespace kerncast::ranks
