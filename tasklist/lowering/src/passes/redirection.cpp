#include "passes/redirection.h"

#include <utility>

namespace kerncast::lowering {

void Redirection::note_readers() {
  next_writer_.assign(program_.value_classes.size(), no_id);
  for (const Use& use : program_.uses) {
    if (use.value == no_id || candidate_of_[use.value] == no_id) {
      continue;
    }
    Candidate& candidate = candidates_[candidate_of_[use.value]];
    candidate.last_reader = use.reader;
    candidate.is_read_elsewhere |= program_.block_of[candidate.op] != program_.block_of[use.reader];
  }
}

bool Redirection::reads_the_same(const Candidate& candidate) const {
  const std::uint32_t next = next_writer_[candidate.source];
  const bool written_in_block = next != no_id && program_.block_of[next] == program_.block_of[candidate.op];
  return !candidate.is_read_elsewhere && (!written_in_block || candidate.last_reader <= next);
}

void Redirection::move_readers(const Candidate& candidate) {
  if (candidate_of_[candidate.source] == no_id) {
    return;
  }
  Candidate& source = candidates_[candidate_of_[candidate.source]];
  source.last_reader = std::max(source.last_reader, candidate.last_reader);
  source.is_read_elsewhere |=
      candidate.is_read_elsewhere || program_.block_of[source.op] != program_.block_of[candidate.op];
}

ValueId Redirection::root_of(ValueId value) {
  ValueId root = value;
  while (is_redirected(root)) {
    root = candidates_[candidate_of_[root]].source;
  }
  while (is_redirected(value)) {
    value = std::exchange(candidates_[candidate_of_[value]].source, root);
  }
  return root;
}

void Redirection::apply() {
  if (!redirects_) {
    return;
  }
  for (Use& use : program_.uses) {
    if (use.value != no_id && is_redirected(use.value) && use.role != Role::previous) {
      use.value = root_of(use.value);
    }
  }
}

} // namespace kerncast::lowering
