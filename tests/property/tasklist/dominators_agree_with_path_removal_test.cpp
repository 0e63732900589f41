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

BlockId block_holding(const Tasklist& list, TaskId task) {
  BlockId block = 0;
  while (list.blocks[block].first_task + list.blocks[block].task_count <= task) {
    ++block;
  }
  return block;
}

bool writes(const Tasklist& list, TaskId task, ValueId value) {
  const auto definitions = list.definitions(list.tasks[task]);
  return std::find(definitions.begin(), definitions.end(), value) != definitions.end();
}

enum class Walk { found, overwritten, at_end };

// From `task` to the end of its block, until the reader or another writer.
Walk walk(const Tasklist& list, BlockId block, TaskId task, TaskId reader, ValueId value) {
  for (; task < list.blocks[block].first_task + list.blocks[block].task_count; ++task) {
    if (task == reader) {
      return Walk::found;
    }
    if (writes(list, task, value)) {
      return Walk::overwritten;
    }
  }
  return Walk::at_end;
}

// Whether the definition at `from` reaches the use at `to`, by walking task by task.
bool reaches(const Tasklist& list, TaskId from, TaskId to, ValueId value) {
  std::vector<bool> seen(list.blocks.size(), false);
  BlockId block = block_holding(list, from);
  Walk walked = walk(list, block, from + 1, to, value);
  std::vector<BlockId> pending;
  while (walked != Walk::found) {
    if (walked == Walk::at_end) {
      pending.insert(pending.end(), list.blocks[block].successors.begin(),
                     list.blocks[block].successors.end());
    }
    while (!pending.empty() && seen[pending.back()]) {
      pending.pop_back();
    }
    if (pending.empty()) {
      return false;
    }
    block = pending.back();
    seen[block] = true;
    walked = walk(list, block, list.blocks[block].first_task, to, value);
  }
  return true;
}

void check_dependencies(const Tasklist& list) {
  for (TaskId reader = 0; reader < list.tasks.size(); ++reader) {
    std::vector<TaskId> expected;
    for (TaskId writer = 0; writer < list.tasks.size(); ++writer) {
      const auto uses = list.uses(list.tasks[reader]);
      if (std::any_of(uses.begin(), uses.end(), [&](ValueId value) {
            return writes(list, writer, value) && reaches(list, writer, reader, value);
          })) {
        expected.push_back(writer);
      }
    }
    const auto stored = list.dependencies(list.tasks[reader]);
    RC_ASSERT(std::vector<TaskId>(stored.begin(), stored.end()) == expected);
  }
}

RC_GTEST_PROP(Dependencies, agree_with_paths_without_another_writer, ()) {
  check_dependencies(random_tasklist());
}

// Few accesses in many blocks: values that live in so much of the function that they are followed together.
RC_GTEST_PROP(Dependencies, agree_with_paths_where_values_live_nearly_everywhere, ()) {
  Builder builder;
  const std::uint32_t values = 1 + below(8), blocks = 50 + below(50);
  builder.list.value_classes.assign(values, ValueClass::b32);
  for (BlockId block = 0; block < blocks; ++block) {
    builder.list.blocks.emplace_back().successors = {below(blocks), (block + 1) % blocks};
    if (below(3) == 0) {
      Task task;
      task.operation = builder.operation("add.s32");
      builder.add(task, random_values(values, 1), random_values(values, 1));
    }
  }
  check_dependencies(std::move(builder).finish());
}

} // namespace
} // namespace kerncast::tasklist
