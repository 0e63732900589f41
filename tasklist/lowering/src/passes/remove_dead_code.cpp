// Marks what has an effect, then whatever that reads; the rest is dead. Readers stand behind their writers
// but in loops, so that one sweep from the end marks nearly all.
#include <ranges>

#include "passes/passes.h"

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
      : program_(program), facts_(facts), is_read_(program.value_classes.size(), 0),
        all_reachable_(facts.flow.tree.order.size() == program.blocks.size()) {}

  void run() {
    const std::uint32_t count = program_.op_count();
    for (std::uint32_t op = 0; op < count; ++op) {
      program_.ops[op].dead = !has_effect(program_, program_.ops[op]) || !is_reachable(op);
    }
    for (const Use& use : std::views::reverse(program_.uses)) {
      if (!program_.ops[use.reader].dead) {
        left_ = use.reader;
        keep_read(use.value);
      }
    }
    left_ = 0;
    while (!pending_.empty()) {
      const std::uint32_t op = pending_.back();
      pending_.pop_back();
      for (const Use& use : program_.uses_of(program_.ops[op])) {
        keep_read(use.value);
      }
    }
  }

private:
  bool is_reachable(std::uint32_t op) const {
    return all_reachable_ || facts_.flow.tree.number[program_.block_of[op]] != no_id;
  }

  void keep_read(ValueId value) {
    if (value != no_id && is_read_[value] == 0) {
      is_read_[value] = 1;
      facts_.values.for_each_writer(value, [&](std::uint32_t op) { keep(op); });
    }
  }

  void keep(std::uint32_t op) {
    if (!program_.ops[op].dead || !is_reachable(op)) {
      return;
    }
    program_.ops[op].dead = false;
    if (op >= left_) {
      pending_.push_back(op);
    }
  }

  Program& program_;
  const ProgramFacts& facts_;
  std::vector<std::uint8_t> is_read_;  // by value
  bool all_reachable_;                 // the blocks
  std::uint32_t left_ = 0;             // what ops before this one read is still to be visited
  std::vector<std::uint32_t> pending_; // behind it, found to be read by earlier ones
};

} // namespace

void remove_dead_code(Program& program, const ProgramFacts& facts) { Marker(program, facts).run(); }

} // namespace kerncast::lowering
