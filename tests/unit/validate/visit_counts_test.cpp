// Where the lanes of a warp go on, read off its path.
#include <gtest/gtest.h>

#include "validate/visit_counts.h"

namespace kerncast::app {
namespace {

using tasklist::BlockId;
using tasklist::PathNode;

enum class Branch { none, always, guarded };

// Blocks of one task each.
struct Code {
  tasklist::Tasklist list;
  machine::MachineProgram program;

  void add_block(Branch branch, std::vector<BlockId> successors) {
    tasklist::Task task;
    task.kind = branch == Branch::none ? tasklist::TaskKind::compute : tasklist::TaskKind::branch;
    task.predicated = branch == Branch::guarded;
    tasklist::Block block;
    block.first_task = static_cast<std::uint32_t>(list.tasks.size());
    block.task_count = 1;
    block.successors = std::move(successors);
    list.tasks.push_back(task);
    list.blocks.push_back(std::move(block));
    program.blocks.emplace_back();
  }
};

PathNode visit(std::uint32_t number) { return {.visit = number}; }
PathNode repeat(std::uint32_t length, std::uint64_t count) {
  return {.kind = PathNode::Kind::repeat, .length = length, .count = count};
}

// `warps` warps that do the same.
std::vector<VisitCounts> counted(const Code& code, std::vector<tasklist::BlockVisit> visits,
                                 std::vector<PathNode> nodes, std::uint64_t warps = 1) {
  tasklist::LaunchBehaviour behaviour;
  behaviour.visits = std::move(visits);
  behaviour.paths.push_back({std::move(nodes)});
  behaviour.classes.push_back({.warp_paths = {0}, .cta_count = warps});
  return count_visits(behaviour, code.list, code.program);
}

// Eight lanes go to block 2 at once, the others by way of block 1; all end there.
TEST(VisitCounts, ADivergentBranchIsTakenByThoseWhoLeave) {
  Code code;
  code.add_block(Branch::guarded, {2, 1});
  code.add_block(Branch::always, {2});
  code.add_block(Branch::none, {});
  const std::vector<VisitCounts> counts =
      counted(code, {{0, 0xffffffff, {}}, {1, 0xffffff00, {}}, {2, 0xffffffff, {}}},
              {visit(0), visit(1), visit(2)}, 5);
  EXPECT_EQ(counts[0].times, 5);
  EXPECT_EQ(counts[0].taken, 5 * 8);
  EXPECT_EQ(counts[0].ended, 0);
  EXPECT_EQ(counts[1].taken, 5 * 24);
  EXPECT_EQ(counts[2].ended, 5 * 32);
}

// Lanes that nobody has afterwards have ended, as @p exit makes them.
TEST(VisitCounts, LanesEndOneByOne) {
  Code code;
  code.add_block(Branch::none, {1});
  code.add_block(Branch::none, {});
  const std::vector<VisitCounts> counts = counted(code, {{0, 0xff, {}}, {1, 0x3f, {}}}, {visit(0), visit(1)});
  EXPECT_EQ(counts[0].ended, 2);
  EXPECT_EQ(counts[1].ended, 6);
}

// An inner loop of four trips in an outer one of three, each a block that branches back to itself or from the
// end to the start.
TEST(VisitCounts, LoopsAreLeftOnce) {
  Code code;
  code.add_block(Branch::none, {1});
  code.add_block(Branch::guarded, {1, 2});
  code.add_block(Branch::guarded, {0, 3});
  code.add_block(Branch::none, {});
  const std::vector<VisitCounts> counts =
      counted(code, {{0, 1, {}}, {1, 1, {}}, {2, 1, {}}, {3, 1, {}}},
              {repeat(4, 3), visit(0), repeat(1, 4), visit(1), visit(2), visit(3)});
  EXPECT_EQ(counts[1].times, 12);
  EXPECT_EQ(counts[1].taken, 9);
  EXPECT_EQ(counts[2].taken, 2);
  EXPECT_EQ(counts[3].ended, 1);
}

// All of a branch over targets take it, to the last one as well; under a guard the last one is what follows.
TEST(VisitCounts, BranchesOverTargetsFallThroughUnderAGuardOnly) {
  for (const Branch branch : {Branch::always, Branch::guarded}) {
    Code code;
    code.add_block(branch, {1, 2, 3});
    for (int i = 0; i < 3; ++i)
      code.add_block(Branch::none, {});
    const std::vector<VisitCounts> counts =
        counted(code, {{0, 0xff, {}}, {1, 0x1, {}}, {3, 0xfe, {}}}, {visit(0), visit(1), visit(2)});
    EXPECT_EQ(counts[0].taken, branch == Branch::guarded ? 1 : 8);
  }
}

// Block 2 executes four trips of block 1 at once: ten trips are two groups and two by themselves.
TEST(VisitCounts, GroupsOfTripsGoBackAsTheirLoopDoes) {
  Code code;
  code.add_block(Branch::guarded, {0, 1});
  code.add_block(Branch::none, {});
  code.program.blocks.emplace_back();
  code.program.trip_groups.push_back({.trip = 0, .group = 2, .trips = 4});
  const std::vector<VisitCounts> counts = counted(code, {{2, 1, {}}, {0, 1, {}}, {1, 1, {}}},
                                                  {repeat(1, 2), visit(0), repeat(1, 2), visit(1), visit(2)});
  EXPECT_EQ(counts[0].taken, 2);
  EXPECT_EQ(counts[1].taken, 1);
}

} // namespace
} // namespace kerncast::app
