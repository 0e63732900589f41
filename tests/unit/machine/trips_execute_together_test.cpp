// Trips of a loop that the code has side by side execute together: in the program, and in what warps do.
#include <algorithm>
#include <numeric>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "machine/trip_groups.h"
#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::BlockVisit;
using tasklist::LaunchBehaviour;
using tasklist::PathNode;
using tasklist::TaskKind;

enum Value : tasklist::ValueId { counter, sum, loaded, is_more, address };

// Loop: load, sum, step of address and counter, comparison, branch.
tasklist::Tasklist summing(const std::string& bound) {
  ListWriter w = ptx_list();
  w.list.constants = {"0", "1", bound};
  w.list.constant_pool = {0, 1, 2};
  w.block({1});
  w.add("mov.u32", {counter}, {}).constants = {0, 1};
  w.block({1, 2});
  w.add("ld.global.u32", {loaded}, {address}, TaskKind::load);
  w.add("add.s32", {sum}, {sum, loaded});
  w.add("add.s32", {address}, {address}).constants = {1, 1};
  w.add("add.s32", {counter}, {counter}).constants = {1, 1};
  w.add("setp.lt.s32", {is_more}, {counter}).constants = {2, 1};
  w.list.value_classes[is_more] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {is_more}, TaskKind::branch).predicated = true;
  w.block();
  w.add("st.global.u32", {}, {sum}, TaskKind::store);
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.loops = {{.header = 1, .parent = tasklist::no_id, .blocks = {1}}};
  return w.list;
}

MachineProgram program_of(const tasklist::Tasklist& list) {
  AnnotateOptions options;
  options.extras = false;
  auto rows = tiny_rows();
  rows.push_back(row({"unroll", "checks"}, {on(alu, 6, false, 5)}));
  configs::Gpu gpu = tiny_gpu(rows);
  gpu.l2.latency = 200;
  return annotate(list, gpu, options).value();
}

std::span<const MachineOp> ops_of(const MachineProgram& program, tasklist::BlockId block) {
  return std::span(program.ops).subspan(program.blocks[block].first_op, program.blocks[block].op_count);
}

TEST(TripsTogether, of_unknown_number_are_four_and_count_once) {
  const MachineProgram program = program_of(summing("c[0]"));
  ASSERT_EQ(program.trip_groups.size(), 1u);
  const TripGroup& group = program.trip_groups.front();
  EXPECT_EQ(group.trip, 1u);
  EXPECT_EQ(group.group, 3u);
  EXPECT_EQ(group.trips, 4u);
  EXPECT_EQ(group.accesses, 1u);
  // Load and sum of each trip; steps of address and counter, comparison and branch of all.
  EXPECT_EQ(ops_of(program, group.group).size(), 4u * 2 + 4);
  EXPECT_EQ(ops_of(program, 1).size(), 2u + 4);
  EXPECT_EQ(program.ops_of_tasks().size(), program.ops.size() - (4u * 2 + 4));
}

// Of 350 operations a trip takes 4, a load being two: 87 fit, 80 leave none of a million.
TEST(TripsTogether, of_known_number_are_as_many_as_the_code_has) {
  const MachineProgram program = program_of(summing("1000000"));
  ASSERT_EQ(program.trip_groups.size(), 1u);
  EXPECT_EQ(program.trip_groups.front().trips, 80u);
  EXPECT_EQ(ops_of(program, 3).size(), 80u * 2 + 4);
}

TEST(TripsTogether, load_for_all_before_the_first_sum) {
  const MachineProgram program = program_of(summing("c[0]"));
  std::vector<OpKind> kinds;
  for (const MachineOp& op : ops_of(program, 3))
    if (op.task == 1 || op.task == 2)
      kinds.push_back(op.kind);
  const auto loads = static_cast<std::ptrdiff_t>(4);
  EXPECT_TRUE(
      std::all_of(kinds.begin(), kinds.begin() + loads, [](OpKind k) { return k == OpKind::memory; }));
  EXPECT_TRUE(std::none_of(kinds.begin() + loads, kinds.end(), [](OpKind k) { return k == OpKind::memory; }));
}

// The accesses of a group's visit are those of its trips, in their order.
TEST(TripsTogether, access_what_each_trip_does) {
  const MachineProgram program = program_of(summing("c[0]"));
  std::vector<std::uint32_t> accesses;
  for (const MachineOp& op : ops_of(program, 3))
    if (op.kind == OpKind::memory)
      accesses.push_back(op.access);
  EXPECT_EQ(accesses, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// Visits one after the other.
void unfold(std::span<const PathNode> nodes, std::vector<std::uint32_t>& visits) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == PathNode::Kind::visit) {
      visits.push_back(nodes[i].visit);
      continue;
    }
    for (std::uint64_t n = 0; n < nodes[i].count; ++n)
      unfold(nodes.subspan(i + 1, nodes[i].length), visits);
    i += nodes[i].length;
  }
}

std::vector<std::uint32_t> unfolded(const LaunchBehaviour& behaviour) {
  std::vector<std::uint32_t> visits;
  unfold(behaviour.paths.front().nodes, visits);
  return visits;
}

// (block, shape) of all trips, those of groups one by one.
std::vector<std::pair<std::uint32_t, std::uint32_t>> trips_in(const LaunchBehaviour& behaviour,
                                                              const TripGroup& group) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trips;
  for (const std::uint32_t number : unfolded(behaviour)) {
    const BlockVisit& visit = behaviour.visits[number];
    const std::uint32_t block = visit.block == group.group ? group.trip : visit.block;
    for (std::uint32_t i = 0; i < std::max(1U, visit.accesses.count); ++i)
      trips.emplace_back(block,
                         visit.accesses.count == 0 ? 0 : behaviour.access_pool[visit.accesses.begin + i]);
  }
  return trips;
}

// Visits 0 to 2 are to the loop's block with shapes 0 to 2, visit 3 is to another block: a loop around both
// begins and ends there.
LaunchBehaviour random_behaviour(std::mt19937& random) {
  LaunchBehaviour behaviour;
  behaviour.access_pool = {0, 1, 2};
  for (std::uint32_t shape = 0; shape < 3; ++shape)
    behaviour.visits.push_back({1, ~0U, {shape, 1}});
  behaviour.visits.push_back({2, ~0U, {}});
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<PathNode> nodes;
  for (std::uint32_t part = 0; part < 1 + below(6); ++part) {
    std::vector<PathNode> body;
    for (std::uint32_t i = 0; i < 1 + below(3); ++i) {
      if (below(3) == 0)
        body.push_back({.kind = PathNode::Kind::repeat, .length = 1, .count = 1 + below(9)});
      body.push_back({.visit = below(8) == 0 ? 3 : below(3)});
    }
    if (std::ranges::find(body, PathNode{.visit = 3}) != body.end()) {
      body.insert(body.begin(), {.visit = 3});
      body.push_back({.visit = 3});
    }
    if (below(2) == 0)
      nodes.push_back({.kind = PathNode::Kind::repeat,
                       .length = static_cast<std::uint32_t>(body.size()),
                       .count = 1 + below(40)});
    nodes.insert(nodes.end(), body.begin(), body.end());
  }
  behaviour.paths = {{nodes}};
  return behaviour;
}

MachineProgram with_group(std::uint32_t trips) {
  MachineProgram program;
  program.blocks.resize(4);
  program.trip_groups = {{.trip = 1, .group = 3, .trips = trips, .accesses = 1}};
  return program;
}

TEST(GroupedTrips, are_all_trips_in_their_order_and_as_many_groups_as_fit) {
  std::mt19937 random(7);
  for (int n = 0; n < 2000; ++n) {
    const MachineProgram program = with_group(2 + static_cast<std::uint32_t>(random() % 5));
    const TripGroup& group = program.trip_groups.front();
    const LaunchBehaviour plain = random_behaviour(random);
    const LaunchBehaviour grouped = grouped_trips(plain, program).value();
    ASSERT_EQ(trips_in(plain, group), trips_in(grouped, group)) << "behaviour " << n;
    // What is left over of trips in a row is fewer than a group.
    std::uint32_t singles = 0;
    for (const std::uint32_t visit : unfolded(grouped)) {
      singles = grouped.visits[visit].block == group.trip ? singles + 1 : 0;
      ASSERT_LT(singles, group.trips) << "behaviour " << n;
    }
  }
}

TEST(GroupedTrips, of_a_long_loop_are_a_repeat) {
  LaunchBehaviour behaviour;
  behaviour.visits = {{1, ~0U, {0, 1}}};
  behaviour.access_pool = {0};
  behaviour.shapes.resize(1);
  behaviour.paths = {{{{.kind = PathNode::Kind::repeat, .length = 1, .count = 1'000'000'003}, {.visit = 0}}}};
  const LaunchBehaviour grouped = grouped_trips(behaviour, with_group(4)).value();
  ASSERT_LT(grouped.paths.front().nodes.size(), 10u);
  std::uint64_t groups = 0;
  for (const PathNode& node : grouped.paths.front().nodes)
    groups = std::max(groups, node.count);
  EXPECT_EQ(groups, 250'000'000u);
}

TEST(GroupedTrips, are_none_of_a_program_without_groups) {
  EXPECT_FALSE(grouped_trips({}, MachineProgram{}).has_value());
}

} // namespace
} // namespace kerncast::machine::testing
