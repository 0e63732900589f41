// Visits of blocks that the code executes together, as one visit of the first of them.
#include <gmock/gmock.h>

#include "machine/executed_behaviour.h"

namespace kerncast::machine {
namespace {

using tasklist::LaunchBehaviour;
using tasklist::PathNode;
using ::testing::ElementsAre;

enum Block : tasklist::BlockId { head, body, join, other };

// Head of one access; a body of two and what follows of one are joined to it. What follows keeps a branch of
// its own, the body no operation.
MachineProgram program() {
  MachineProgram program;
  program.blocks = {{0, 5}, {5, 0}, {5, 1}, {6, 1}};
  program.joined_blocks = {{body, head, 1, 2}, {join, head, 3, 1}};
  return program;
}

// Visits 0 to 3 are of head, body, join and other, with shapes 0; 1 and 2; 3; 4.
LaunchBehaviour behaviour(std::vector<PathNode> nodes) {
  LaunchBehaviour behaviour;
  behaviour.shapes.resize(5);
  for (std::uint32_t shape = 0; shape < 5; ++shape)
    behaviour.shapes[shape].mask = 1U << shape;
  behaviour.access_pool = {0, 1, 2, 3, 4};
  behaviour.visits = {{head, 0xFF, {0, 1}}, {body, 0xF, {1, 2}}, {join, 0xFF, {3, 1}}, {other, 0xFF, {4, 1}}};
  behaviour.paths = {{std::move(nodes)}};
  return behaviour;
}

PathNode visit(std::uint32_t number) { return {.visit = number}; }
PathNode repeat(std::uint32_t length, std::uint64_t count) {
  return {.kind = PathNode::Kind::repeat, .length = length, .count = count};
}

// "block:masks of its accesses", with "n*(...)" around what is repeated.
std::string text(const LaunchBehaviour& behaviour, std::span<const PathNode> nodes) {
  std::string out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == PathNode::Kind::repeat) {
      out += std::to_string(nodes[i].count) + "*( " + text(behaviour, nodes.subspan(i + 1, nodes[i].length)) +
             ") ";
      i += nodes[i].length;
      continue;
    }
    const tasklist::BlockVisit& visited = behaviour.visits[nodes[i].visit];
    out += std::to_string(visited.block) + ":";
    for (std::uint32_t a = 0; a < visited.accesses.count; ++a)
      out += std::to_string(behaviour.shapes[behaviour.access_pool[visited.accesses.begin + a]].mask) + ",";
    out += " ";
  }
  return out;
}

std::string executed(std::vector<PathNode> nodes) {
  const LaunchBehaviour plain = behaviour(std::move(nodes));
  const MachineProgram of = program();
  const ExecutedBehaviour executed(plain, of);
  return text(executed.get(), executed.get().paths.front().nodes);
}

TEST(JoinedVisits, HaveTheAccessesOfAll) {
  EXPECT_EQ(executed({visit(0), visit(1), visit(2), visit(3)}), "0:1,2,4,8, 2: 3:16, ");
}

TEST(JoinedVisits, OfABodyThatAllLanesSkipHaveAccessesOfNoLane) {
  EXPECT_EQ(executed({visit(0), visit(2), visit(3)}), "0:1,0,0,8, 2: 3:16, ");
}

TEST(JoinedVisits, AreRepeatedAsTheirBlocksWere) {
  EXPECT_EQ(
      executed({repeat(3, 7), visit(0), visit(1), visit(2), repeat(2, 9), visit(0), visit(2), visit(3)}),
      "7*( 0:1,2,4,8, 2: ) 9*( 0:1,0,0,8, 2: ) 3:16, ");
}

TEST(JoinedVisits, OfOneHeadAfterAnotherStayApart) {
  EXPECT_EQ(executed({visit(0), visit(1), visit(2), visit(0), visit(2)}), "0:1,2,4,8, 2: 0:1,0,0,8, 2: ");
}

TEST(JoinedVisits, AreKnownByWhatTheyAreMadeOf) {
  const LaunchBehaviour plain = behaviour({visit(0), visit(1), visit(2), visit(0), visit(1), visit(2)});
  const auto joined = joined_visits(plain, program());
  ASSERT_TRUE(joined);
  const std::vector<PathNode>& nodes = joined->paths.front().nodes;
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0], nodes[2]);
  EXPECT_EQ(nodes[1], nodes[3]);
  EXPECT_EQ(joined->visits[nodes[0].visit].active_mask, 0xFFu);
}

TEST(JoinedVisits, AreThePlainOnesWhereNothingIsJoined) {
  EXPECT_FALSE(joined_visits(behaviour({visit(0)}), MachineProgram{}));
}

} // namespace
} // namespace kerncast::machine
