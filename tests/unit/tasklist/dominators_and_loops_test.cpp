// Dominators, post-dominators and loops of small graphs drawn by hand.
#include "tasklist/graph.h"

#include <gmock/gmock.h>

namespace kerncast::tasklist {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Block> graph(std::initializer_list<std::vector<BlockId>> successors) {
  std::vector<Block> blocks;
  for (const auto& s : successors) {
    blocks.emplace_back().successors = s;
  }
  return blocks;
}

//   0 -> 1, 2; 1 -> 3; 2 -> 3
const auto diamond = graph({{1, 2}, {3}, {3}, {}});

TEST(Dominators, of_a_diamond_join_at_the_fork) {
  EXPECT_THAT(immediate_dominators(diamond), ElementsAre(no_id, 0, 0, 0));
  EXPECT_THAT(immediate_post_dominators(diamond), ElementsAre(3, 3, 3, no_id));
}

TEST(Dominators, of_two_returns_meet_in_the_virtual_exit) {
  EXPECT_THAT(immediate_post_dominators(graph({{1, 2}, {}, {}})), ElementsAre(no_id, no_id, no_id));
}

TEST(Dominators, skip_unreachable_blocks) {
  // 1 is unreachable and jumps into 2.
  const auto blocks = graph({{2}, {2}, {}});
  const auto dominators = immediate_dominators(blocks);
  EXPECT_THAT(dominators, ElementsAre(no_id, no_id, 0));
  const DominatorTree tree(dominators);
  EXPECT_FALSE(tree.dominates(1, 2));
  EXPECT_FALSE(tree.dominates(0, 1));
}

TEST(Dominators, of_an_endless_loop_have_no_post_dominator) {
  // 0 -> 1 <-> 2, and 3 is the only exit, from 0.
  EXPECT_THAT(immediate_post_dominators(graph({{1, 3}, {2}, {1}, {}})), ElementsAre(3, no_id, no_id, no_id));
}

// The example of Lengauer and Tarjan's paper, letters R A B C D E F G H I J K L as 0..12.
TEST(Dominators, of_the_textbook_graph) {
  const auto blocks =
      graph({{1, 2, 3}, {4}, {1, 4, 5}, {6, 7}, {12}, {8}, {9}, {9, 10}, {5, 11}, {11}, {9}, {0, 9}, {8}});
  EXPECT_THAT(immediate_dominators(blocks), ElementsAre(no_id, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4));
}

TEST(DominatorTree, answers_reflexive_and_transitive_queries) {
  const DominatorTree tree(immediate_dominators(graph({{1}, {2}, {}})));
  EXPECT_TRUE(tree.dominates(1, 1));
  EXPECT_TRUE(tree.dominates(0, 2));
  EXPECT_FALSE(tree.dominates(2, 0));
}

TEST(Loops, nest_outer_before_inner) {
  // 0 -> 1 (outer header) -> 2 (inner header, self loop) -> 3 -> 1; 3 -> 4
  const auto loops = find_loops(graph({{1}, {2}, {2, 3}, {1, 4}, {}}));
  ASSERT_THAT(loops, SizeIs(2));
  EXPECT_EQ(loops[0], (Loop{1, no_id, {1, 2, 3}}));
  EXPECT_EQ(loops[1], (Loop{2, 0, {2}}));
}

TEST(Loops, with_one_header_are_one_loop) {
  // Two latches, 2 and 3 ("continue").
  const auto loops = find_loops(graph({{1}, {2, 3}, {1}, {1, 4}, {}}));
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2, 3));
}

TEST(Loops, are_found_by_dominators_and_not_by_text_order) {
  // The latch 1 comes before its header 2 in the text: 0 -> 2, 2 -> 1 or 3, 1 -> 2.
  const auto loops = find_loops(graph({{2}, {2}, {1, 3}, {}}));
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0], (Loop{2, no_id, {1, 2}}));
  // A branch to an earlier block that closes no cycle: 0 -> 2 -> 1 -> 3.
  EXPECT_THAT(find_loops(graph({{2}, {3}, {1}, {}})), IsEmpty());
}

TEST(Loops, without_single_entry_are_named_and_not_loops) {
  // 0 enters the cycle 1 <-> 2 on both sides.
  const auto blocks = graph({{1, 2}, {2}, {1, 3}, {}});
  EXPECT_THAT(find_loops(blocks), IsEmpty());
  EXPECT_THAT(irreducible_edges(blocks), ElementsAre(Edge{2, 1}));
  EXPECT_THAT(irreducible_edges(diamond), IsEmpty());
}

TEST(Loops, inside_an_irreducible_cycle_are_still_found) {
  // As above, with a self loop on 2.
  const auto loops = find_loops(graph({{1, 2}, {2}, {2, 1, 3}, {}}));
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0], (Loop{2, no_id, {2}}));
}

TEST(Graphs, of_a_hundred_thousand_blocks_do_not_exhaust_the_stack) {
  // A chain in which every block may also leave to the last one: deep, and one block with many entries.
  constexpr BlockId count = 100'000;
  std::vector<Block> blocks(count);
  for (BlockId i = 0; i + 1 < count; ++i) {
    blocks[i].successors = {count - 1, i + 1};
  }
  const auto dominators = immediate_dominators(blocks);
  EXPECT_EQ(dominators[count - 1], 0U);
  EXPECT_EQ(dominators[count - 2], count - 3);
  EXPECT_EQ(immediate_post_dominators(blocks)[0], count - 1);
  EXPECT_THAT(find_loops(blocks), IsEmpty());
}

TEST(Graphs, without_blocks_are_empty) {
  const std::vector<Block> none;
  EXPECT_THAT(immediate_dominators(none), IsEmpty());
  EXPECT_THAT(immediate_post_dominators(none), IsEmpty());
  EXPECT_THAT(find_loops(none), IsEmpty());
  EXPECT_THAT(irreducible_edges(none), IsEmpty());
}

} // namespace
} // namespace kerncast::tasklist
