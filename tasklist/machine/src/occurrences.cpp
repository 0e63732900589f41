#include "occurrences.h"

namespace kerncast::machine {

OccurrenceTable::OccurrenceTable(const Draft& draft, std::span<const std::uint8_t> wanted)
    : simple_(draft.register_count()), first_(draft.register_count() + 1, 0) {
  read_once(draft);
  std::vector<std::uint8_t> is_listed(draft.register_count(), 0);
  std::uint32_t end = 0; // filling backward turns each end into its begin
  for (VirtualRegister r = 0; r < draft.register_count(); ++r) {
    is_listed[r] = simple_[r].begin == no_range && (wanted.empty() || wanted[r] != 0);
    first_[r] = end += is_listed[r] != 0 ? first_[r] : 0;
  }
  first_.back() = end;
  occurrences_.resize(end);
  if (end != 0)
    list(draft, is_listed);
}

// Finds the simple registers and counts all occurrences.
void OccurrenceTable::read_once(const Draft& draft) {
  for (const MachineBlock& block : draft.blocks) {
    const std::uint32_t block_begin = read_position(block.first_op);
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
      const DraftOp& op = draft.ops[i];
      for (const VirtualRegister r : draft.reads(op))
        note_read(r, block_begin, read_position(i));
      for (const VirtualRegister r : draft.writes(op))
        note_write(r, write_position(i), op.guarded);
    }
  }
}

void OccurrenceTable::note_read(VirtualRegister r, std::uint32_t block_begin, std::uint32_t position) {
  Segment& range = simple_[r];
  if (range.begin > block_begin && range.begin != no_range)
    range.end = position + 1;
  else
    range.begin = no_range;
  ++first_[r];
}

void OccurrenceTable::note_write(VirtualRegister r, std::uint32_t position, bool guarded) {
  if (simple_[r].begin == 0 && !guarded)
    simple_[r] = {position, position + 1};
  else
    simple_[r].begin = no_range;
  ++first_[r];
}

void OccurrenceTable::list(const Draft& draft, std::span<const std::uint8_t> is_listed) {
  const auto add = [&](VirtualRegister r, const Occurrence& occurrence) {
    if (is_listed[r] != 0)
      occurrences_[--first_[r]] = occurrence;
  };
  for (auto b = static_cast<tasklist::BlockId>(draft.blocks.size()); b-- > 0;) {
    const MachineBlock& block = draft.blocks[b];
    for (std::uint32_t i = block.first_op + block.op_count; i-- > block.first_op;) {
      const DraftOp& op = draft.ops[i];
      for (const VirtualRegister r : draft.writes(op))
        add(r, {write_position(i), b, op.guarded, false});
      for (const VirtualRegister r : draft.reads(op))
        add(r, {read_position(i), b, false, false});
    }
  }
}

} // namespace kerncast::machine
