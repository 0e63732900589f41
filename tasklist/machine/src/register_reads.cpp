#include "register_reads.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using Registers = std::span<const VirtualRegister>;

bool is_among(VirtualRegister r, Registers registers) {
  return std::ranges::find(registers, r) != registers.end();
}

// Different vector registers among `reads` that are not among `kept`. Those of spilled values have no width
// in `widths`: they are vector registers.
std::size_t count_reads(Registers reads, Registers kept, const std::vector<std::uint8_t>& widths) {
  const auto is_vector = [&](VirtualRegister r) { return r >= widths.size() || widths[r] > 0; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < reads.size(); ++i)
    count += is_vector(reads[i]) && !is_among(reads[i], reads.first(i)) && !is_among(reads[i], kept) ? 1 : 0;
  return count;
}

} // namespace

void time_register_reads(Draft& draft, const std::vector<std::uint8_t>& widths, const configs::Gpu& gpu) {
  if (gpu.register_reads_per_cycle == 0)
    return;
  for (const MachineBlock& block : draft.blocks) {
    Registers kept;
    for (DraftOp& op : std::span(draft.ops).subspan(block.first_op, block.op_count)) {
      const Registers reads = draft.reads(op);
      const configs::Unit& unit = gpu.units[op.op.unit];
      if (op.op.kind == OpKind::compute && unit.scope == configs::UnitScope::sub_core)
        op.op.operand_interval =
            static_cast<double>(count_reads(reads, kept, widths) * unit.count) / gpu.register_reads_per_cycle;
      kept = reads;
    }
  }
}

} // namespace kerncast::machine
