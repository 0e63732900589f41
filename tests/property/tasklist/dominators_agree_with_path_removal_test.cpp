// The definitions, tried literally on random graphs: a dominates b if b is unreachable once a is removed;
// a writer reaches a reader if a path without another writer connects them.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "random_tasklist.h"
#include "tasklist/graph.h"

namespace kerncast::tasklist {
namespace {

std::vector<Block> random_graph() {
  std::vector<Block> blocks(1 + below(12));
  for (Block& block : blocks) {
    block.successors.resize(below(4));
    for (BlockId& successor : block.successors) {
      successor = below(static_cast<std::uint32_t>(blocks.size()));
    }
  }
  return blocks;
}

// Blocks reachable from 0 without entering `removed`.
std::vector<bool> reachable_without(const std::vector<Block>& blocks, BlockId removed) {
  std::vector<bool> seen(blocks.size(), false);
  std::vector<BlockId> pending;
  const auto visit = [&](BlockId block) {
    if (block != removed && !seen[block]) {
      seen[block] = true;
      pending.push_back(block);
    }
  };
  visit(0);
  while (!pending.empty()) {
    const BlockId block = pending.back();
    pending.pop_back();
    for (const BlockId successor : blocks[block].successors) {
      visit(successor);
    }
  }
  return seen;
}

RC_GTEST_PROP(Dominators, agree_with_path_removal, ()) {
  const auto blocks = random_graph();
  const auto immediate = immediate_dominators(blocks);
  const DominatorTree tree(immediate);
  const auto reachable = reachable_without(blocks, no_id);
  for (BlockId a = 0; a < blocks.size(); ++a) {
    const auto without_a = reachable_without(blocks, a);
    for (BlockId b = 0; b < blocks.size(); ++b) {
      const bool expected = reachable[a] && reachable[b] && !without_a[b];
      RC_ASSERT(tree.dominates(a, b) == expected);
    }
  }
  for (BlockId b = 1; b < blocks.size(); ++b) {
    RC_ASSERT((immediate[b] == no_id) == !reachable[b]);
  }
}

RC_GTEST_PROP(Loops, contain_their_blocks_under_one_header, ()) {
  const auto blocks = random_graph();
  const DominatorTree tree(immediate_dominators(blocks));
  const auto loops = find_loops(blocks);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (const BlockId block : loops[i].blocks) {
      RC_ASSERT(tree.dominates(loops[i].header, block));
      if (loops[i].parent != no_id) {
        const auto& outer = loops[loops[i].parent].blocks;
        RC_ASSERT(loops[i].parent < i);
        RC_ASSERT(std::binary_search(outer.begin(), outer.end(), block));
      }
    }
  }
}

// Whether the definition at `from` reaches the use at `to`, by walking task by task.
bool reaches(const Tasklist& list, TaskId from, TaskId to, ValueId value) {
  const auto block_of = [&](TaskId task) {
    BlockId block = 0;
    while (list.blocks[block].first_task + list.blocks[block].task_count <= task) {
      ++block;
    }
    return block;
  };
  std::vector<bool> seen_block(list.blocks.size(), false);
  std::vector<BlockId> blocks;
  // Continues at `task` of `block`; at the block's end with its successors.
  const auto walk = [&](BlockId block, TaskId task) -> bool {
    for (; task < list.blocks[block].first_task + list.blocks[block].task_count; ++task) {
      if (task == to) {
        return true;
      }
      const auto definitions = list.definitions(list.tasks[task]);
      if (std::find(definitions.begin(), definitions.end(), value) != definitions.end()) {
        return false;
      }
    }
    blocks.insert(blocks.end(), list.blocks[block].successors.begin(), list.blocks[block].successors.end());
    return false;
  };
  if (walk(block_of(from), from + 1)) {
    return true;
  }
  while (!blocks.empty()) {
    const BlockId block = blocks.back();
    blocks.pop_back();
    if (!seen_block[block]) {
      seen_block[block] = true;
      if (walk(block, list.blocks[block].first_task)) {
        return true;
      }
    }
  }
  return false;
}

RC_GTEST_PROP(Dependencies, agree_with_paths_without_another_writer, ()) {
  const Tasklist list = random_tasklist();
  for (TaskId reader = 0; reader < list.tasks.size(); ++reader) {
    std::vector<TaskId> expected;
    for (TaskId writer = 0; writer < list.tasks.size(); ++writer) {
      for (const ValueId value : list.uses(list.tasks[reader])) {
        const auto definitions = list.definitions(list.tasks[writer]);
        if (std::find(definitions.begin(), definitions.end(), value) != definitions.end() &&
            reaches(list, writer, reader, value)) {
          expected.push_back(writer);
          break;
        }
      }
    }
    const auto stored = list.dependencies(list.tasks[reader]);
    RC_ASSERT(std::vector<TaskId>(stored.begin(), stored.end()) == expected);
  }
}

} // namespace
} // namespace kerncast::tasklist
