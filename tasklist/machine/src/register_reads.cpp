#include "register_reads.h"

#include <algorithm>
#include <cmath>

namespace kerncast::machine {
namespace {

using Registers = std::span<const VirtualRegister>;

// Cycles after which a value of unknown latency is ready, and between two blocks: a warp that waits for as
// long lets others go.
constexpr double long_wait = 100;

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

// When a warp that is alone would issue.
class IssueTimes {
public:
  explicit IssueTimes(const Draft& draft) : draft_(draft) {
    if (!draft.pool.empty())
      ready_.resize(*std::ranges::max_element(draft.pool) + 1);
  }

  void start_block() { now_ += long_wait; }

  // Whether the operation waits for a value, so that it does not issue right behind the one before it.
  bool issue(const DraftOp& op) {
    double ready = 0;
    for (const VirtualRegister r : draft_.reads(op))
      ready = std::max(ready, ready_[r]);
    const bool waits = ready > now_ + 1;
    now_ = std::max(now_ + 1, ready);
    for (const VirtualRegister r : draft_.writes(op))
      ready_[r] = now_ + (op.op.kind == OpKind::compute ? op.op.latency : long_wait);
    return waits;
  }

private:
  const Draft& draft_;
  std::vector<double> ready_; // by register
  double now_ = 0;
};

} // namespace

void time_register_reads(Draft& draft, const std::vector<std::uint8_t>& widths, const configs::Gpu& gpu) {
  if (gpu.register_reads_per_cycle == 0)
    return;
  IssueTimes times(draft);
  for (const MachineBlock& block : draft.blocks) {
    times.start_block();
    Registers kept;
    for (DraftOp& op : std::span(draft.ops).subspan(block.first_op, block.op_count)) {
      const Registers reads = draft.reads(op);
      if (times.issue(op))
        kept = {};
      const configs::Unit& unit = gpu.units[op.op.unit];
      const auto interval = [&](Registers without) {
        return unit.count * std::ceil(static_cast<double>(count_reads(reads, without, widths)) /
                                      gpu.register_reads_per_cycle);
      };
      if (op.op.kind == OpKind::compute && unit.scope == configs::UnitScope::sub_core) {
        op.op.operand_interval = interval(kept);
        op.op.longest_operand_interval = interval({});
      }
      kept = reads;
    }
  }
}

} // namespace kerncast::machine
