// Lets readers of one value read another instead, where both hold the same result at every reader.
#pragma once

#include <algorithm>

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

class Redirection {
public:
  Redirection(Program& program, const ValueFacts& facts)
      : program_(program), facts_(facts), candidate_of_(program.value_classes.size(), no_id) {}

  // Readers of `result`, which `op` writes, may perhaps read `source`. False if they never do: only settled
  // results are redirected. In the order of the text.
  bool add(std::uint32_t op, ValueId result, ValueId source) {
    if (source == no_id || result == source || !facts_.of(result).is_settled) {
      return false;
    }
    candidate_of_[result] = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({.op = op, .result = result, .source = source});
    all_settled_ = all_settled_ && facts_.of(source).is_settled;
    return true;
  }
  // In the order they were added in; no_id: the value is the result of none.
  std::uint32_t candidate_of(ValueId value) const { return candidate_of_[value]; }

  // Visits the candidates whose results and sources are the same at every reader, later ones first:
  // accept(index, source) says whether readers change.
  template <class F> void redirect(F&& accept) {
    if (!all_settled_) {
      note_readers();
    }
    auto noted = static_cast<std::uint32_t>(program_.ops.size()); // writers from here on
    for (std::size_t i = candidates_.size(); i-- > 0;) {
      Candidate& candidate = candidates_[i];
      for (; !all_settled_ && noted > candidate.op + 1; --noted) {
        note_writers(noted - 1);
      }
      if ((facts_.of(candidate.source).is_settled || reads_the_same(candidate)) &&
          accept(i, candidate.source)) {
        candidate.is_redirected = redirects_ = true;
        move_readers(candidate);
      }
    }
  }

  // Rewrites the uses of all redirected values.
  void apply();

private:
  struct Candidate {
    std::uint32_t op = 0;
    ValueId result = no_id;
    ValueId source = no_id;
    bool is_redirected = false;
    // Known where a source is not settled:
    bool is_read_elsewhere = false; // in a block other than its writer's
    std::uint32_t last_reader = 0;  // highest op, 0 if none
  };

  void note_readers();
  void note_writers(std::uint32_t op) {
    for (const ValueId value : program_.definitions_of(program_.ops[op])) {
      next_writer_[value] = op;
    }
  }
  // All readers lie in op's block and read before `source` is written again.
  bool reads_the_same(const Candidate& candidate) const;
  // To the source, if that is a result, too.
  void move_readers(const Candidate& candidate);
  bool is_redirected(ValueId value) const {
    return candidate_of_[value] != no_id && candidates_[candidate_of_[value]].is_redirected;
  }
  ValueId root_of(ValueId value);

  Program& program_;
  const ValueFacts& facts_;
  std::vector<std::uint32_t> candidate_of_; // by value
  std::vector<Candidate> candidates_;
  bool all_settled_ = true; // the sources
  bool redirects_ = false;
  std::vector<std::uint32_t> next_writer_; // by value: the writer visited last
};

} // namespace kerncast::lowering
