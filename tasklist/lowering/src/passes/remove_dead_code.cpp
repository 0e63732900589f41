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

// Values' writers: chains from the last to the first.
struct Writers {
  explicit Writers(const Program& program)
      : last(program.value_classes.size(), no_id), writers(program.definitions.size()) {
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      const Range range = program.ops[op].definitions;
      for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
        writers[i] = {op, last[program.definitions[i]]};
        last[program.definitions[i]] = i;
      }
    }
  }
  struct Writer {
    std::uint32_t op = no_id;
    std::uint32_t before = no_id; // definition of the same value
  };
  std::vector<std::uint32_t> last; // by value: definition
  std::vector<Writer> writers;     // by definition
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
        value_read_(program.value_classes.size(), false) {
    pending_.reserve(program.ops.size());
  }

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
    for (std::uint32_t i = writers_.last[value]; i != no_id; i = writers_.writers[i].before) {
      keep(writers_.writers[i].op);
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
