#include "occurrences.h"

namespace kerncast::machine {

OccurrenceTable::OccurrenceTable(const Draft& draft, std::span<const std::uint8_t> wanted)
    : simple_(draft.register_count()), first_(draft.register_count() + 1, 0) {
  read_once(draft, wanted);
  std::vector<std::uint8_t> is_listed(draft.register_count(), 0);
  std::uint32_t end = 0; // filling backward turns each end into its begin
  for (VirtualRegister r = 0; r < draft.register_count(); ++r) {
    is_listed[r] = simple_[r].begin == no_range && (wanted.empty() || wanted[r] != 0);
    first_[r] = end += is_listed[r] != 0 ? first_[r] : 0;
  }
  first_.back() = end;
  occurrences_.resize(end);
  list(draft, is_listed);
}

// Finds the simple registers and counts all occurrences.
void OccurrenceTable::read_once(const Draft& draft, std::span<const std::uint8_t> wanted) {
  for (const MachineBlock& block : draft.blocks)
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i)
      note(draft, i, read_position(block.first_op), wanted);
}

void OccurrenceTable::note(const Draft& draft, std::uint32_t op, std::uint32_t block_begin,
                           std::span<const std::uint8_t> wanted) {
  for (const VirtualRegister r : draft.reads(draft.ops[op]))
    if (wanted.empty() || wanted[r] != 0)
      note_read(r, block_begin, op);
  for (const VirtualRegister r : draft.writes(draft.ops[op]))
    if (wanted.empty() || wanted[r] != 0)
      note_write(r, op, draft.ops[op].guarded);
}

void OccurrenceTable::note_read(VirtualRegister r, std::uint32_t block_begin, std::uint32_t op) {
  Segment& range = simple_[r];
  if (range.begin > block_begin && range.begin != no_range)
    range.end = read_position(op) + 1;
  else
    range.begin = no_range;
  ++first_[r];
}

void OccurrenceTable::note_write(VirtualRegister r, std::uint32_t op, bool guarded) {
  if (simple_[r].begin == 0 && !guarded)
    simple_[r] = {write_position(op), write_position(op) + 1};
  else
    simple_[r].begin = no_range;
  ++first_[r];
}

void OccurrenceTable::list(const Draft& draft, std::span<const std::uint8_t> is_listed) {
  if (occurrences_.empty())
    return;
  for (auto b = static_cast<tasklist::BlockId>(draft.blocks.size()); b-- > 0;) {
    const MachineBlock& block = draft.blocks[b];
    for (std::uint32_t i = block.first_op + block.op_count; i-- > block.first_op;)
      list(draft, i, b, is_listed);
  }
}

void OccurrenceTable::list(const Draft& draft, std::uint32_t op, tasklist::BlockId b,
                           std::span<const std::uint8_t> is_listed) {
  for (const VirtualRegister r : draft.writes(draft.ops[op]))
    if (is_listed[r] != 0)
      occurrences_[--first_[r]] = {write_position(op), b, draft.ops[op].guarded, false};
  for (const VirtualRegister r : draft.reads(draft.ops[op]))
    if (is_listed[r] != 0)
      occurrences_[--first_[r]] = {read_position(op), b, false, false};
}

} // namespace kerncast::machine
