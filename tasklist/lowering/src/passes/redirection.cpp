#include "passes/redirection.h"

#include <algorithm>
#include <utility>

namespace kerncast::lowering {

Redirection::Redirection(Program& program, const ValueFacts& facts)
    : program_(program), facts_(facts), source_(program.value_classes.size(), no_id),
      last_reader_(program.value_classes.size(), 0), read_elsewhere_(program.value_classes.size(), false),
      next_writer_(program.value_classes.size(), no_id) {
  note_readers();
}

void Redirection::note_readers() {
  for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
    for (const Use& use : program_.uses_of(program_.ops[op])) {
      if (use.value == no_id) {
        continue;
      }
      last_reader_[use.value] = op;
      const std::uint32_t writer = facts_.writer[use.value];
      if (writer == no_id || program_.block_of[writer] != program_.block_of[op]) {
        read_elsewhere_[use.value] = true;
      }
    }
  }
}

bool Redirection::allowed(std::uint32_t op, ValueId result, ValueId source) const {
  if (source == no_id || result == source || facts_.settled[result] == 0) {
    return false;
  }
  if (facts_.settled[source] != 0) {
    return true;
  }
  const std::uint32_t next = next_writer_[source];
  const bool written_in_block = next != no_id && program_.block_of[next] == program_.block_of[op];
  return !read_elsewhere_[result] && (!written_in_block || last_reader_[result] <= next);
}

void Redirection::redirect(ValueId result, ValueId source) {
  source_[result] = source;
  last_reader_[source] = std::max(last_reader_[source], last_reader_[result]);
  const std::uint32_t writer = facts_.writer[source];
  const bool other_block =
      writer == no_id || program_.block_of[writer] != program_.block_of[facts_.writer[result]];
  if (read_elsewhere_[result] || other_block) {
    read_elsewhere_[source] = true;
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
  for (Use& use : program_.uses) {
    if (use.value != no_id && use.role != Role::previous) {
      use.value = root_of(use.value);
    }
  }
}

} // namespace kerncast::lowering
