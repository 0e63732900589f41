#include "value_widths.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

class Widths {
public:
  Widths(const Draft& draft, const Selection& selection, const std::vector<bool>& divergent)
      : draft_(draft), list_(selection.list), divergent_(divergent), widths_{draft.widths, {}} {}

  ValueWidths run() {
    if (!divergent_.empty() && !draft_.blocks.empty() && !is_in_loop(0))
      hold_uniform_values();
    widths_.ample = widths_.least;
    load_constants_again();
    return std::move(widths_);
  }

private:
  void load_constants_again() {
    const std::vector<bool> repeats = blocks_of_innermost_loops();
    loaded_by_.assign(draft_.register_count(), nullptr);
    for (BlockId b = 0; b < draft_.blocks.size(); ++b) {
      const std::span<const DraftOp> ops = draft_.ops_of(draft_.blocks[b]);
      for (const DraftOp& op : ops) {
        if (op.extra && op.op.kind == OpKind::compute)
          for (const VirtualRegister r : draft_.writes(op))
            loaded_by_[r] = &op;
        load_operands_again(op, ops.data(), repeats[b]);
      }
    }
  }

  // Those that were loaded in front of the block, whose first operation is given.
  void load_operands_again(const DraftOp& op, const DraftOp* block, bool repeats) {
    for (const VirtualRegister r : draft_.reads(op)) {
      if (loaded_by_[r] == nullptr || loaded_by_[r] >= block)
        continue;
      widths_.least[r] = 0;
      if (is_moved_constant(*loaded_by_[r]) || !repeats)
        widths_.ample[r] = 0;
    }
  }

  bool is_in_loop(BlockId b) const {
    return std::ranges::any_of(
        list_.loops, [&](const tasklist::Loop& loop) { return std::ranges::binary_search(loop.blocks, b); });
  }

  std::vector<bool> blocks_of_innermost_loops() const {
    std::vector<bool> has_inner(list_.loops.size(), false);
    for (const tasklist::Loop& loop : list_.loops)
      if (loop.parent != tasklist::no_id)
        has_inner[loop.parent] = true;
    std::vector<bool> found(draft_.blocks.size(), false);
    for (std::size_t i = 0; i < list_.loops.size(); ++i)
      if (!has_inner[i])
        for (const BlockId b : list_.loops[i].blocks)
          found[b] = true;
    return found;
  }

  // Values that the entry block alone writes, once.
  void hold_uniform_values() {
    std::vector<std::uint8_t> writes(draft_.register_count(), 0); // two stand for more
    for (const DraftOp& op : draft_.ops)
      for (const VirtualRegister r : draft_.writes(op))
        writes[r] = static_cast<std::uint8_t>(std::min(writes[r] + 1, 2));
    for (const DraftOp& op : draft_.ops_of(draft_.blocks.front()))
      if (runs_on_uniform_datapath(op))
        for (const VirtualRegister r : draft_.writes(op))
          if (writes[r] == 1 && r < divergent_.size() && !divergent_[r])
            widths_.least[r] = 0;
  }

  // Integer arithmetic on values: special registers are mostly read into vector registers.
  bool runs_on_uniform_datapath(const DraftOp& op) const {
    const tasklist::Task& task = list_.tasks[op.op.task];
    const std::string_view operation = list_.operations[task.operation];
    return !op.extra && !op.guarded && task.kind == tasklist::TaskKind::compute &&
           operation.find(".f") == operation.npos && operation.find(".special.") == operation.npos;
  }

  const Draft& draft_;
  const tasklist::Tasklist& list_;
  const std::vector<bool>& divergent_;    // by value
  std::vector<const DraftOp*> loaded_by_; // by register: the load of a constant that it holds
  ValueWidths widths_;
};

} // namespace

ValueWidths value_widths(const Draft& draft, const Selection& selection, const std::vector<bool>& divergent) {
  return Widths(draft, selection, divergent).run();
}

} // namespace kerncast::machine
