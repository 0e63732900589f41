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

class Marker {
public:
  explicit Marker(Program& program)
      : program_(program), reachable_(reachable_blocks(program)), writers_(program),
        value_read_(program.value_classes.size(), false) {}

  void run() {
    for (Op& op : program_.ops) {
      op.dead = true;
    }
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (has_effect(program_, program_.ops[op])) {
        keep(op);
      }
    }
    while (!pending_.empty()) {
      const std::uint32_t op = pending_.back();
      pending_.pop_back();
      for (const Use& use : program_.uses_of(program_.ops[op])) {
        keep_writers(use.value);
      }
    }
  }

private:
  void keep(std::uint32_t op) {
    if (program_.ops[op].dead && reachable_[program_.block_of[op]]) {
      program_.ops[op].dead = false;
      pending_.push_back(op);
    }
  }

  void keep_writers(ValueId value) {
    if (value == no_id || value_read_[value]) {
      return;
    }
    value_read_[value] = true;
    for (std::uint32_t i = writers_.begin[value]; i < writers_.begin[value + 1]; ++i) {
      keep(writers_.ops[i]);
    }
  }

  Program& program_;
  std::vector<bool> reachable_;
  Writers writers_;
  std::vector<bool> value_read_;
  std::vector<std::uint32_t> pending_;
};

} // namespace

void remove_dead_code(Program& program) { Marker(program).run(); }

} // namespace kerncast::lowering
