#include "occurrences.h"

namespace kerncast::machine {

OccurrenceTable::OccurrenceTable(const Draft& draft, std::span<const std::uint8_t> wanted)
    : first_(draft.register_count() + 1, 0) {
  for (const DraftOp& op : draft.ops) {
    for (const VirtualRegister r : draft.reads(op))
      ++first_[r];
    for (const VirtualRegister r : draft.writes(op))
      ++first_[r];
  }
  if (!wanted.empty())
    for (VirtualRegister r = 0; r < wanted.size(); ++r)
      first_[r] = wanted[r] != 0 ? first_[r] : 0;
  std::uint32_t end = 0; // filling backward turns each end into its begin
  for (std::uint32_t& first : first_)
    first = end += first;
  occurrences_.resize(end);
  for (auto b = static_cast<tasklist::BlockId>(draft.blocks.size()); b-- > 0;) {
    const MachineBlock& block = draft.blocks[b];
    for (std::uint32_t i = block.first_op + block.op_count; i-- > block.first_op;) {
      const DraftOp& op = draft.ops[i];
      for (const VirtualRegister r : draft.writes(op))
        if (wanted.empty() || wanted[r] != 0)
          occurrences_[--first_[r]] = {write_position(i), b, op.guarded, false};
      for (const VirtualRegister r : draft.reads(op))
        if (wanted.empty() || wanted[r] != 0)
          occurrences_[--first_[r]] = {read_position(i), b, false, false};
    }
  }
}

} // namespace kerncast::machine
