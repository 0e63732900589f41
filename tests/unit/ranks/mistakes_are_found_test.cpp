// What never ends, does not fit or is not the same for all is a problem with a rank and a position.
#include <gmock/gmock.h>

#include "small_cluster.h"

namespace kerncast::ranks {
namespace {

using namespace test;
using Kind = Problem::Kind;

std::vector<Problem> problems(const std::vector<std::vector<Event>>& ranks,
                              const configs::Cluster& on = cluster(1, 2)) {
  return run(program(ranks), on).problems;
}

TEST(Mistakes, AReceiveWithoutASendNeverEnds) {
  const std::vector<Problem> found = problems({{KernelEvent{0, 0, 1}}, {receive(0, 8)}});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::never_ends);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].position, 1);
  EXPECT_EQ(found[0].other_rank, 0);
}

TEST(Mistakes, ReceivesThatWaitForEachOthersSendsNeverEnd) {
  const std::vector<Problem> found = problems({{receive(1, 8), send(1, 8)}, {receive(0, 8), send(0, 8)}});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].other_rank, 1);
  EXPECT_EQ(found[1].other_rank, 0);
}

// Short messages are on their way before anybody asks for them; long ones are not.
TEST(Mistakes, LongSendsToEachOtherNeverEnd) {
  const std::vector<std::vector<Event>> ranks = {{send(1, 100), receive(1, 100)},
                                                 {send(0, 100), receive(0, 100)}};
  configs::Cluster eager = cluster(1, 2);
  eager.eager_bytes = 100;
  EXPECT_TRUE(problems(ranks, eager).empty());
  eager.eager_bytes = 99;
  EXPECT_EQ(problems(ranks, eager).size(), 2);
  // Together they do: as a group.
  const auto exchange = [](std::uint32_t other) {
    return std::vector<Event>{timeline::GroupEvent{true, 0}, send(other, 100), receive(other, 100),
                              timeline::GroupEvent{false, 0}};
  };
  EXPECT_TRUE(problems({exchange(1), exchange(0)}, eager).empty());
}

TEST(Mistakes, AMessageThatNobodyReceivesIsToldOfItsReceiver) {
  const std::vector<Problem> found = problems({{send(1, 8)}, {}});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::not_received);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].other_position, 0);
}

TEST(Mistakes, SizesOfAMessageAgree) {
  const std::vector<Problem> found = problems({{send(1, 8)}, {receive(0, 16)}});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::other_size);
  EXPECT_EQ(found[0].bytes, 16);
  EXPECT_EQ(found[0].other_bytes, 8);
}

TEST(Mistakes, AllRanksDoTheSameCollective) {
  const std::vector<Problem> found =
      problems({{collective(CommunicationOp::all_reduce, 8)}, {collective(CommunicationOp::all_reduce, 16)}});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::other_op);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].other_rank, 0);
}

TEST(Mistakes, ARankThatDoesNotComeToACollectiveIsNamed) {
  const std::vector<Problem> found = problems({{collective(CommunicationOp::barrier, 0)}, {}});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].kind, Kind::never_ends);
  EXPECT_EQ(found[0].other_rank, 0);
  EXPECT_EQ(found[1].kind, Kind::absent);
  EXPECT_EQ(found[1].rank, 1);
  EXPECT_EQ(found[1].bytes, 1);
}

} // namespace
} // namespace kerncast::ranks
