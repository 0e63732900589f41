#include "passes/redirection.h"

#include <utility>

namespace kerncast::lowering {

void Redirection::note_readers() {
  last_reader_.assign(program_.value_classes.size(), 0);
  read_elsewhere_.assign(program_.value_classes.size(), false);
  next_writer_.assign(program_.value_classes.size(), no_id);
  for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
    for (const Use& use : program_.uses_of(program_.ops[op])) {
      if (use.value == no_id) {
        continue;
      }
      last_reader_[use.value] = op;
      if (!is_written_in(program_.block_of[op], use.value)) {
        read_elsewhere_[use.value] = true;
      }
    }
  }
}

bool Redirection::reads_the_same(const Candidate& candidate) const {
  const std::uint32_t next = next_writer_[candidate.source];
  const bool written_in_block = next != no_id && program_.block_of[next] == program_.block_of[candidate.op];
  return !read_elsewhere_[candidate.result] && (!written_in_block || last_reader_[candidate.result] <= next);
}

void Redirection::move_readers(const Candidate& candidate) {
  last_reader_[candidate.source] = std::max(last_reader_[candidate.source], last_reader_[candidate.result]);
  if (read_elsewhere_[candidate.result] ||
      !is_written_in(program_.block_of[facts_.writer[candidate.result]], candidate.source)) {
    read_elsewhere_[candidate.source] = true;
  }
}

ValueId Redirection::root_of(ValueId value) {
  ValueId root = value;
  while (source_[root] != no_id) {
    root = source_[root];
  }
  while (source_[value] != no_id) {
    value = std::exchange(source_[value], root);
  }
  return root;
}

void Redirection::apply() {
  if (!redirects_) {
    return;
  }
  for (Use& use : program_.uses) {
    if (use.value != no_id && source_[use.value] != no_id && use.role != Role::previous) {
      use.value = root_of(use.value);
    }
  }
}

} // namespace kerncast::lowering
