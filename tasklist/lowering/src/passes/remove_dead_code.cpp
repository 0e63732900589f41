// Marks what has an effect, then whatever that reads; the rest is dead.
#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

std::vector<bool> reachable_blocks(const Program& program) {
  std::vector<bool> reachable(program.blocks.size(), false);
  std::vector<tasklist::BlockId> pending{0};
  reachable[0] = true;
  while (!pending.empty()) {
    const auto block = pending.back();
    pending.pop_back();
    for (const auto successor : program.blocks[block].successors) {
      if (!reachable[successor]) {
        reachable[successor] = true;
        pending.push_back(successor);
      }
    }
  }
  return reachable;
}

// Values' writers, in one array.
struct Writers {
  explicit Writers(const Program& program) : begin(program.value_classes.size() + 1, 0) {
    for (const ValueId value : program.definitions) {
      ++begin[value + 1];
    }
    for (std::size_t value = 0; value + 1 < begin.size(); ++value) {
      begin[value + 1] += begin[value];
    }
    ops.resize(program.definitions.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      for (const ValueId value : program.definitions_of(program.ops[op])) {
        ops[next[value]++] = op;
      }
    }
  }
  std::vector<std::uint32_t> begin, ops;
};

// Call parameters are passed in registers once the call is inlined: their stores have results.
bool has_effect(const Program& program, const Op& op) {
  const auto& traits = program.traits_of(op);
  return op.definitions.count == 0 || (traits.side_effect && traits.space != tasklist::Space::param);
}

} // namespace

void remove_dead_code(Program& program) {
  const std::vector<bool> reachable = reachable_blocks(program);
  const Writers writers(program);
  std::vector<bool> value_read(program.value_classes.size(), false);
  std::vector<std::uint32_t> pending;
  const auto keep = [&](std::uint32_t op) {
    if (program.ops[op].dead && reachable[program.block_of[op]]) {
      program.ops[op].dead = false;
      pending.push_back(op);
    }
  };
  for (Op& op : program.ops) {
    op.dead = true;
  }
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (has_effect(program, program.ops[op])) {
      keep(op);
    }
  }
  while (!pending.empty()) {
    const std::uint32_t op = pending.back();
    pending.pop_back();
    for (const Use& use : program.uses_of(program.ops[op])) {
      if (use.value == no_id || value_read[use.value]) {
        continue;
      }
      value_read[use.value] = true;
      for (std::uint32_t i = writers.begin[use.value]; i < writers.begin[use.value + 1]; ++i) {
        keep(writers.ops[i]);
      }
    }
  }
}

} // namespace kerncast::lowering
