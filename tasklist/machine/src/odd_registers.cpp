#include "odd_registers.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

std::vector<bool> moved_constants(const Draft& draft) {
  std::vector<bool> are_moved(draft.register_count(), false);
  for (const DraftOp& op : draft.ops)
    if (is_moved_constant(op))
      for (const VirtualRegister r : draft.writes(op))
        are_moved[r] = true;
  return are_moved;
}

} // namespace

std::vector<bool> find_odd_registers(const Draft& draft, std::span<const std::uint8_t> widths) {
  const std::vector<bool> is_constant = moved_constants(draft);
  std::vector<bool> is_odd(draft.register_count(), false);
  for (const DraftOp& op : draft.ops) {
    if (op.op.kind != OpKind::memory)
      continue;
    const auto reads = draft.reads(op);
    const auto single = std::ranges::find_if(reads, [&](VirtualRegister r) { return widths[r] == 1; });
    const auto singles = std::ranges::count_if(reads, [&](VirtualRegister r) { return widths[r] == 1; });
    const bool has_pair = std::ranges::any_of(reads, [&](VirtualRegister r) { return widths[r] > 1; });
    if (singles == 1 && has_pair && (op.op.access_bytes >= bytes_per_register || !is_constant[*single]))
      is_odd[*single] = true;
  }
  return is_odd;
}

} // namespace kerncast::machine
