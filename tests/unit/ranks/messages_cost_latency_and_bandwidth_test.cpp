// Point to point: alpha + n beta over the links of the way, what shares a link waits for it, and what runs
// beside a message does not.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace kerncast::ranks {
namespace {

using namespace test;

// Two peer links: 2 x 1 us + 5000 bytes / (1000 bytes/us).
TEST(Messages, OfANodeTakeTwoLatenciesAndTheirBytes) {
  const RanksResult result = run(program({{send(1, 5000)}, {receive(0, 5000)}}), cluster(1, 2));
  EXPECT_TRUE(result.problems.empty());
  EXPECT_EQ(result.ranks[1].statistics.end_us, 7);
  EXPECT_EQ(result.ranks[0].statistics.end_us, 5); // its bytes have left
  EXPECT_EQ(result.ranks[1].statistics.bytes_received, 5000);
}

// GPU, card, switch, card, GPU: 4 links.
TEST(Messages, BetweenNodesTakeFourLatencies) {
  EXPECT_EQ(end_us(run(program({{send(1, 3000)}, {receive(0, 3000)}}), cluster(2, 1))), 4 + 3);
}

// The slowest link moves the bytes while the others move them, too: not one after the other.
TEST(Messages, TakeTheLeastBandwidthOfTheirWay) {
  configs::Cluster slow = cluster(2, 1);
  slow.network.bandwidth_gbps = 0.5;
  EXPECT_EQ(end_us(run(program({{send(1, 3000)}, {receive(0, 3000)}}), slow)), 4 + 6);
}

TEST(Messages, SoftwareAddsToTheirLatency) {
  configs::Cluster with_software = cluster(1, 2);
  with_software.software_us = 2.5;
  EXPECT_EQ(end_us(run(program({{send(1, 0)}, {receive(0, 0)}}), with_software)), 4.5);
}

// Ranks 0 and 1 of a node send to ranks 2 and 3 of another one through one card: its link moves 4000 bytes
// of the one, then 4000 of the other.
TEST(Messages, ShareACardOneAfterTheOther) {
  const RankProgram two = program({{send(2, 4000)}, {send(3, 4000)}, {receive(0, 4000)}, {receive(1, 4000)}});
  const RanksResult shared = run(two, cluster(2, 2));
  EXPECT_EQ(shared.ranks[2].statistics.end_us, 4 + 4);
  EXPECT_EQ(shared.ranks[3].statistics.end_us, 4 + 4 + 4);
  configs::Cluster two_cards = cluster(2, 2);
  two_cards.nics_per_node = 2;
  EXPECT_EQ(end_us(run(two, two_cards)), 4 + 4);
}

// Leaves of one node: card, leaf, spine, leaf, card, that is 6 links with those of the GPUs. Both messages
// take the one spine.
TEST(Messages, ShareTheUplinksOfAFatTree) {
  configs::Cluster tree = cluster(4, 1);
  tree.shape = configs::NetworkShape::fat_tree;
  tree.nodes_per_leaf = 2;
  const RankProgram two = program({{send(2, 4000)}, {send(3, 4000)}, {receive(0, 4000)}, {receive(1, 4000)}});
  EXPECT_EQ(end_us(run(two, tree)), 6 + 4 + 4);
  tree.spines = 2; // receivers' numbers choose different ones
  EXPECT_EQ(end_us(run(two, tree)), 6 + 4);
}

// In a ring of 5 nodes rank 3 is two steps back from rank 0: 2 links and those of the two GPUs.
TEST(Messages, GoTheShorterWayRoundATorus) {
  configs::Cluster torus = cluster(5, 1);
  torus.shape = configs::NetworkShape::torus;
  torus.dimensions = {5};
  EXPECT_EQ(end_us(run(program({{send(3, 1000)}, {}, {}, {receive(0, 1000)}, {}}), torus)), 4 + 1);
}

// Every rank of a ring of 3 gets from the left and sends to the right after a kernel of 10 us.
TEST(Messages, OfAHaloExchangeFollowTheKernel) {
  std::vector<std::vector<Event>> ranks;
  for (std::uint32_t r = 0; r < 3; ++r)
    ranks.push_back({KernelEvent{0, 0, 1}, timeline::GroupEvent{true, 0}, send((r + 1) % 3, 2000),
                     send((r + 2) % 3, 2000), receive((r + 1) % 3, 2000), receive((r + 2) % 3, 2000),
                     timeline::GroupEvent{false, 0}, KernelEvent{1, 0, 1}});
  // 10 us, two messages of 2 us through the GPU's one link, 2 us of latency, 4 us.
  const RanksResult result = run(program(ranks), cluster(1, 3));
  EXPECT_TRUE(result.problems.empty());
  for (const RankOutcome& rank : result.ranks) {
    EXPECT_EQ(rank.statistics.end_us, 10 + 2 + 2 + 2 + 4);
    EXPECT_EQ(rank.statistics.exposed_us, 6);
    EXPECT_EQ(rank.statistics.waiting_us, 0);
  }
  EXPECT_EQ(critical_path(result).own_us, 14);
  EXPECT_EQ(critical_path(result).transfer_us, 6);
}

TEST(Messages, OverlapKernelsOfOtherStreams) {
  const RanksResult result =
      run(program({{send(1, 5000, 1), KernelEvent{0, 0, 1}}, {receive(0, 5000, 1), KernelEvent{0, 0, 1}}}),
          cluster(1, 2));
  EXPECT_EQ(end_us(result), 10); // not 10 + 7
  EXPECT_EQ(result.ranks[1].statistics.communication_us, 7);
  EXPECT_EQ(result.ranks[1].statistics.exposed_us, 0);
}

// 1 + 5 us to the host, 7 us to the other, 1 + 5 us from the host.
TEST(Messages, ThroughTheHostAreCopiedBeforeAndAfter) {
  CommunicationEvent from = send(1, 5000);
  CommunicationEvent to = receive(0, 5000);
  from.through_host = to.through_host = true;
  const RanksResult result = run(program({{from}, {to}}), cluster(1, 2));
  EXPECT_EQ(end_us(result), 6 + 7 + 6);
  EXPECT_EQ(result.ranks[0].statistics.copy_us, 6);
}

// The receiver comes at 10 us. Only then does a long message begin: its request arrived at 2 us, the grant
// takes 2 us, the message 2 + 5 us. The sender waits 10 us for it.
TEST(Messages, ThatAreLongWaitForTheirReceiver) {
  configs::Cluster eager = cluster(1, 2);
  eager.eager_bytes = 4999;
  const RankProgram late = program({{send(1, 5000)}, {KernelEvent{0, 0, 1}, receive(0, 5000)}});
  const RanksResult result = run(late, eager);
  EXPECT_EQ(end_us(result), 10 + 2 + 7);
  EXPECT_EQ(result.ranks[0].statistics.waiting_us, 10);
  EXPECT_EQ(result.ranks[1].statistics.waiting_us, 0);
  eager.eager_bytes = 5000; // it is there when it is asked for
  EXPECT_EQ(end_us(run(late, eager)), 10);
}

// The sender comes at 10 us: of the 17 us until the end 10 are waiting, and rank 0 is what the end is due to.
TEST(Messages, ThatComeLateAreWaitedFor) {
  const RanksResult result =
      run(program({{KernelEvent{0, 0, 1}, send(1, 5000)}, {receive(0, 5000)}}), cluster(1, 2));
  EXPECT_EQ(result.ranks[1].statistics.waiting_us, 10);
  EXPECT_EQ(result.ranks[1].statistics.communication_us, 17);
  const CriticalPath path = critical_path(result);
  EXPECT_EQ(path.ranks, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(path.own_us, 10);
  EXPECT_EQ(path.transfer_us, 7);
}

} // namespace
} // namespace kerncast::ranks
