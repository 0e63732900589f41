#include "freed_registers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Space;
using tasklist::TaskKind;

// Where memory may change: writes, and what waits for other warps.
class Writes {
public:
  explicit Writes(const Draft& draft) {
    for (std::uint32_t i = 0; i < draft.ops.size(); ++i)
      for (std::size_t kind = 0; draft.ops[i].op.kind != OpKind::compute && kind < kinds.size(); ++kind)
        if (may_change(draft.ops[i].op, kinds[kind]))
          positions_[kind].push_back(i);
  }

  bool are_between(std::uint32_t first, std::uint32_t last, Space space) const {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      if (!is_in(space, kinds[kind]))
        continue;
      const auto next = std::ranges::lower_bound(positions_[kind], first);
      if (next != positions_[kind].end() && *next < last)
        return true;
    }
    return false;
  }

private:
  static constexpr std::array kinds = {Space::global, Space::shared, Space::local};

  static bool is_in(Space space, Space kind) { return space == kind || space == Space::generic; }

  static bool may_change(const MachineOp& op, Space kind) {
    if (op.kind == OpKind::barrier || op.kind == OpKind::fence)
      return true;
    return op.kind == OpKind::memory && op.task_kind != TaskKind::load && is_in(op.space, kind);
  }

  std::array<std::vector<std::uint32_t>, kinds.size()> positions_; // by kind, ascending
};

// Whether the registers hold their values wherever `range` does.
bool all_hold_through(std::span<const VirtualRegister> registers, std::span<const Segment> range,
                      const LiveRanges& ranges) {
  return std::ranges::all_of(registers, [&](VirtualRegister r) {
    const std::span<const Segment> held = ranges.of(r);
    return std::ranges::all_of(range, [&](const Segment& part) {
      const auto after = std::ranges::upper_bound(held, part.begin, {}, &Segment::begin);
      return after != held.begin() && part.end <= std::prev(after)->end;
    });
  });
}

class Finder {
public:
  Finder(const tasklist::Tasklist& list, const Draft& draft, const LiveRanges& ranges)
      : list_(list), draft_(draft), ranges_(ranges), writes_(draft), is_freed_(draft.register_count(), false),
        is_written_(draft.register_count(), false), is_needed_(draft.register_count(), false) {
    for (const std::string& operation : list.operations) {
      is_integer_.push_back(tasklist::compute_class(operation) == tasklist::ComputeClass::ialu);
      is_read_only_.push_back(operation.find(".nc") != operation.npos);
    }
  }

  std::vector<bool> run() {
    for (const MachineBlock& block : draft_.blocks)
      for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i)
        for (const VirtualRegister r : draft_.writes(draft_.ops[i])) {
          is_freed_[r] = !is_written_[r] && (can_be_loaded_later(r, i, block) || can_be_computed_again(r, i));
          is_written_[r] = true;
        }
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r)
      is_freed_[r] = is_freed_[r] && !is_needed_[r];
    return std::move(is_freed_);
  }

private:
  bool can_be_loaded_later(VirtualRegister r, std::uint32_t load, const MachineBlock& block) const {
    const auto range = ranges_.of(r);
    const MachineOp& op = draft_.ops[load].op;
    return op.task_kind == TaskKind::load && range.size() == 1 &&
           range.front().end <= read_position(block.first_op + block.op_count) &&
           (is_read_only_[list_.tasks[op.task].operation] ||
            !writes_.are_between(load, range.front().end / 2, op.space));
  }

  // Its operands are then kept.
  bool can_be_computed_again(VirtualRegister r, std::uint32_t index) {
    const DraftOp& op = draft_.ops[index];
    if (op.op.kind != OpKind::compute || !is_integer_[list_.tasks[op.op.task].operation] ||
        !all_hold_through(draft_.reads(op), ranges_.of(r), ranges_))
      return false;
    for (const VirtualRegister operand : draft_.reads(op))
      is_needed_[operand] = true;
    return true;
  }

  const tasklist::Tasklist& list_;
  const Draft& draft_;
  const LiveRanges& ranges_;
  Writes writes_;
  std::vector<bool> is_integer_, is_read_only_; // by operation
  std::vector<bool> is_freed_, is_written_;
  std::vector<bool> is_needed_; // to compute others again
};

} // namespace

std::vector<bool> freed_registers(const tasklist::Tasklist& list, const Draft& draft,
                                  const LiveRanges& ranges) {
  return Finder(list, draft, ranges).run();
}

} // namespace kerncast::machine
