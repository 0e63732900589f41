// Marks what has an effect, then whatever that reads; the rest is dead.
#include "passes/passes.h"
#include "writers.h"

namespace kerncast::lowering {

namespace {

// Call parameters are passed in registers once the call is inlined: their stores have results.
bool has_effect(const Program& program, const Op& op) {
  const auto& traits = program.traits_of(op);
  return op.definitions.count == 0 || (traits.side_effect && traits.space != tasklist::Space::param);
}

class Marker {
public:
  Marker(Program& program, const ProgramFacts& facts)
      : program_(program), facts_(facts), writers_(program, facts.values),
        is_read_(program.value_classes.size(), false) {
    pending_.reserve(program.ops.size());
  }

  void run() {
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      program_.ops[op].dead = true;
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
    const bool is_reachable = facts_.flow.tree.number[program_.block_of[op]] != no_id;
    if (program_.ops[op].dead && is_reachable) {
      program_.ops[op].dead = false;
      pending_.push_back(op);
    }
  }

  void keep_writers(ValueId value) {
    if (value == no_id || is_read_[value]) {
      return;
    }
    is_read_[value] = true;
    writers_.for_each(value, [&](std::uint32_t op) { keep(op); });
  }

  Program& program_;
  const ProgramFacts& facts_;
  Writers writers_;
  std::vector<bool> is_read_; // by value
  std::vector<std::uint32_t> pending_;
};

} // namespace

void remove_dead_code(Program& program, const ProgramFacts& facts) { Marker(program, facts).run(); }

} // namespace kerncast::lowering
