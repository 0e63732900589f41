#include "freed_registers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Space;
using tasklist::TaskKind;

// Where memory may change: writes, and what waits for other warps. What lies a known number of bytes away
// does not change with a write (Task::base).
class Writes {
public:
  Writes(const tasklist::Tasklist& list, const Draft& draft) : list_(list), draft_(draft) {
    for (std::uint32_t i = 0; i < draft.ops.size(); ++i)
      for (std::size_t kind = 0; draft.ops[i].op.kind != OpKind::compute && kind < kinds.size(); ++kind)
        if (may_change(draft.ops[i].op, kinds[kind])) {
          positions_[kind].push_back(i);
          const Place place = place_of(i);
          if (place.base != no_id)
            of_base_[kind][{place.base, place.trip}].push_back({place.begin, place.end, i});
        }
  }

  // That may change what `load` reads, in front of `last`.
  bool are_between(std::uint32_t load, std::uint32_t last) const {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      if (is_in(draft_.ops[load].op.space, kinds[kind]) && may_change_between(kind, load, last))
        return true;
    return false;
  }

private:
  static constexpr std::array kinds = {Space::global, Space::shared, Space::local};

  struct Write {
    std::int64_t begin = 0, end = 0; // bytes from the base
    std::uint32_t position = 0;
  };
  struct Place {
    std::uint32_t base = no_id;
    std::uint8_t trip = 0; // bases of trips are apart where their distance is not known
    std::int64_t begin = 0, end = 0;
  };

  static bool is_in(Space space, Space kind) { return space == kind || space == Space::generic; }

  static bool may_change(const MachineOp& op, Space kind) {
    if (op.kind == OpKind::barrier || op.kind == OpKind::fence)
      return true;
    return op.kind == OpKind::memory && op.task_kind != TaskKind::load && is_in(op.space, kind);
  }

  Place place_of(std::uint32_t i) const {
    const DraftOp& op = draft_.ops[i];
    if (op.op.kind != OpKind::memory)
      return {};
    const tasklist::Task& task = list_.tasks[op.op.task];
    const std::int64_t begin = task.offset + op.moved_bytes;
    return {task.base, op.knows_moved ? std::uint8_t{0} : op.trip, begin, begin + task.access_bytes};
  }

  bool may_change_between(std::size_t kind, std::uint32_t load, std::uint32_t last) const {
    const auto next = std::ranges::lower_bound(positions_[kind], load);
    const auto writes = std::ranges::lower_bound(positions_[kind], last) - next;
    if (writes <= 0)
      return false;
    const Place place = place_of(load);
    const auto found = of_base_[kind].find({place.base, place.trip});
    if (place.base == no_id || found == of_base_[kind].end())
      return true;
    std::ptrdiff_t apart = 0;
    for (const Write& write : found->second)
      if (write.position > load && write.position < last) {
        if (write.begin < place.end && place.begin < write.end)
          return true;
        ++apart;
      }
    return apart != writes;
  }

  const tasklist::Tasklist& list_;
  const Draft& draft_;
  std::array<std::vector<std::uint32_t>, kinds.size()> positions_; // by kind, ascending
  std::array<std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Write>>, kinds.size()> of_base_;
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

// What the text of an operation says about its result.
struct ResultKind {
  bool is_integer = false;
  bool is_read_only = false; // .nc
};

ResultKind kind_of_result(std::string_view operation) {
  thread_local tasklist::TextMemo<ResultKind> memo;
  return memo.of(operation, [](std::string_view text) {
    return ResultKind{tasklist::compute_class(text) == tasklist::ComputeClass::ialu,
                      text.find(".nc") != text.npos};
  });
}

class Finder {
public:
  Finder(const tasklist::Tasklist& list, const Draft& draft, const LiveRanges& ranges)
      : list_(list), draft_(draft), ranges_(ranges), writes_(list, draft),
        is_freed_(draft.register_count(), false), is_written_(draft.register_count(), false),
        is_needed_(draft.register_count(), false), first_read_(draft.register_count(), 0),
        reads_(draft.register_count(), 0), has_shorter_operands_(draft.register_count(), false) {
    for (const std::string& operation : list.operations)
      kinds_.push_back(kind_of_result(operation));
  }

  FreedRegisters run() {
    note_reads();
    note_shorter_operands();
    for (const MachineBlock& block : draft_.blocks)
      for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i)
        for (const VirtualRegister r : draft_.writes(draft_.ops[i]))
          note_write(r, i, block);
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r)
      is_freed_[r] = is_freed_[r] && !is_needed_[r];
    return {std::move(is_freed_), std::move(first_read_)};
  }

private:
  void note_write(VirtualRegister r, std::uint32_t op, const MachineBlock& block) {
    const bool is_late_load = !is_written_[r] && can_be_loaded_later(r, op, block);
    const bool is_freed_load = is_late_load && !has_shorter_operands_[r];
    is_freed_[r] = is_freed_load || (!is_written_[r] && can_be_computed_again(r, op));
    is_written_[r] = true;
    if (!is_late_load)
      first_read_[r] = 0;
  }

  void note_reads() {
    for (auto i = static_cast<std::uint32_t>(draft_.ops.size()); i-- > 0;)
      for (const VirtualRegister r : draft_.reads(draft_.ops[i])) {
        first_read_[r] = read_position(i);
        ++reads_[r];
      }
  }

  // Those that read a loaded value can do so one after the other, so that it is not held for long, but if
  // they read values that are there for a shorter time, which would then be held for longer.
  void note_shorter_operands() {
    std::vector<VirtualRegister> read_again;
    for (const DraftOp& op : draft_.ops) {
      read_again.clear();
      std::ranges::copy_if(draft_.reads(op), std::back_inserter(read_again),
                           [&](VirtualRegister r) { return reads_[r] > 1; });
      for (const VirtualRegister r : read_again)
        for (const VirtualRegister other : read_again)
          if (is_inside(ranges_.of(other), ranges_.of(r)))
            has_shorter_operands_[r] = true;
    }
  }

  static bool is_inside(std::span<const Segment> range, std::span<const Segment> around) {
    return !range.empty() && !around.empty() && range.front().begin > around.front().begin &&
           range.back().end < around.back().end;
  }

  bool can_be_loaded_later(VirtualRegister r, std::uint32_t load, const MachineBlock& block) const {
    const auto range = ranges_.of(r);
    const MachineOp& op = draft_.ops[load].op;
    return op.task_kind == TaskKind::load && range.size() == 1 &&
           range.front().end <= read_position(block.first_op + block.op_count) &&
           (kinds_[list_.tasks[op.task].operation].is_read_only ||
            !writes_.are_between(load, range.front().end / 2));
  }

  // Its operands are then kept.
  bool can_be_computed_again(VirtualRegister r, std::uint32_t index) {
    const DraftOp& op = draft_.ops[index];
    if (op.op.kind != OpKind::compute || !kinds_[list_.tasks[op.op.task].operation].is_integer ||
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
  std::vector<ResultKind> kinds_; // by operation
  std::vector<bool> is_freed_, is_written_;
  std::vector<bool> is_needed_;           // to compute others again
  std::vector<std::uint32_t> first_read_; // of loads that can come later, in the end
  std::vector<std::uint32_t> reads_;      // number
  std::vector<bool> has_shorter_operands_;
};

} // namespace

FreedRegisters freed_registers(const tasklist::Tasklist& list, const Draft& draft, const LiveRanges& ranges) {
  return Finder(list, draft, ranges).run();
}

} // namespace kerncast::machine
