// Marks what has an effect, then whatever that reads; the rest is dead.
#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

// The writers of values that several ops write: chains from the last to the first.
class SharedWriters {
public:
  SharedWriters(const Program& program, const ValueFacts& facts)
      : last_(program.value_classes.size(), no_id) {
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      for (const ValueId value : program.definitions_of(program.ops[op])) {
        if (facts.definition_count[value] > 1) {
          writers_.push_back({op, last_[value]});
          last_[value] = static_cast<std::uint32_t>(writers_.size() - 1);
        }
      }
    }
  }
  template <class F> void for_each_writer(ValueId value, F&& f) const {
    for (std::uint32_t i = last_[value]; i != no_id; i = writers_[i].before) {
      f(writers_[i].op);
    }
  }

private:
  struct Writer {
    std::uint32_t op = no_id;
    std::uint32_t before = no_id; // of the same value, in writers_
  };
  std::vector<std::uint32_t> last_; // by value
  std::vector<Writer> writers_;
};

// Call parameters are passed in registers once the call is inlined: their stores have results.
bool has_effect(const Program& program, const Op& op) {
  const auto& traits = program.traits_of(op);
  return op.definitions.count == 0 || (traits.side_effect && traits.space != tasklist::Space::param);
}

class Marker {
public:
  Marker(Program& program, const ProgramFacts& facts)
      : program_(program), facts_(facts), shared_writers_(program, facts.values),
        is_read_(program.value_classes.size(), false) {
    pending_.reserve(program.ops.size());
  }

  void run() {
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
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
    if (facts_.values.definition_count[value] == 1) {
      keep(facts_.values.writer[value]);
    } else {
      shared_writers_.for_each_writer(value, [&](std::uint32_t op) { keep(op); });
    }
  }

  Program& program_;
  const ProgramFacts& facts_;
  SharedWriters shared_writers_;
  std::vector<bool> is_read_; // by value
  std::vector<std::uint32_t> pending_;
};

} // namespace

void remove_dead_code(Program& program, const ProgramFacts& facts) { Marker(program, facts).run(); }

} // namespace kerncast::lowering
