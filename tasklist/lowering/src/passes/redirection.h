// Lets readers of one value read another instead, where both hold the same result at every reader.
#pragma once

#include <algorithm>

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

class Redirection {
public:
  // Readers of `result`, which `op` writes, may perhaps read `source`.
  struct Candidate {
    std::uint32_t op = 0;
    ValueId result = no_id;
    ValueId source = no_id;
  };

  Redirection(Program& program, const ValueFacts& facts)
      : program_(program), facts_(facts), source_(program.value_classes.size(), no_id) {}

  bool may_be(const Candidate& candidate) const {
    return candidate.source != no_id && candidate.result != candidate.source &&
           facts_.settled[candidate.result] != 0;
  }

  // Visits the candidates whose results and sources are the same at every reader, later ones first. They
  // are in the order of the text, and may_be() of each. `accept(index)` says whether readers change.
  template <class F> void redirect(std::span<const Candidate> candidates, F&& accept) {
    const bool all_settled = std::ranges::all_of(
        candidates, [&](const Candidate& candidate) { return facts_.settled[candidate.source] != 0; });
    if (!all_settled) {
      note_readers();
    }
    auto next = static_cast<std::uint32_t>(program_.ops.size()); // writers from here on are noted
    for (std::size_t i = candidates.size(); i-- > 0;) {
      const Candidate& candidate = candidates[i];
      for (; !all_settled && next > candidate.op + 1; --next) {
        note_writer(next - 1);
      }
      if ((facts_.settled[candidate.source] != 0 || reads_the_same(candidate)) && accept(i)) {
        source_[candidate.result] = candidate.source;
        redirects_ = true;
        if (!all_settled) {
          move_readers(candidate);
        }
      }
    }
  }

  // Rewrites the uses of all redirected values.
  void apply();

private:
  void note_readers();
  void note_writer(std::uint32_t op) {
    for (const ValueId value : program_.definitions_of(program_.ops[op])) {
      next_writer_[value] = op;
    }
  }
  // All readers lie in op's block and read before `source` is written again.
  bool reads_the_same(const Candidate& candidate) const;
  void move_readers(const Candidate& candidate);
  bool is_written_in(tasklist::BlockId block, ValueId value) const {
    return facts_.writer[value] != no_id && program_.block_of[facts_.writer[value]] == block;
  }
  ValueId root_of(ValueId value);

  Program& program_;
  const ValueFacts& facts_;
  std::vector<ValueId> source_; // by value; no_id: not redirected
  bool redirects_ = false;
  // Where a source is not settled:
  std::vector<std::uint32_t> last_reader_; // by value: highest op, 0 if none
  std::vector<bool> read_elsewhere_;       // by value: in a block other than its writer's
  std::vector<std::uint32_t> next_writer_; // by value: the writer visited last
};

} // namespace kerncast::lowering
