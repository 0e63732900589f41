// Decides which free operations disappear, then rewrites the draft.
#include "coalesce.h"

#include <algorithm>
#include <optional>

#include "register_classes.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Range;

class Coalescer {
public:
  Coalescer(Draft& draft, std::span<const tasklist::Block> blocks)
      : draft_(draft), blocks_(blocks), classes_(draft.register_count()) {}

  void run() {
    if (std::ranges::none_of(draft_.ops, &DraftOp::free_copy))
      return;
    describe_registers(find_live_ranges(draft_, blocks_));
    expansions_.resize(draft_.register_count());
    is_part_.assign(draft_.register_count(), false);
    for_each_copy([&](const DraftOp& op) { merge_copy(op); });
    for_each_copy([&](const DraftOp& op) { remove_constant(op); });
    for_each_copy([&](const DraftOp& op) { remove_packing(op); });
    rewrite();
  }

private:
  using Expansion = std::optional<std::vector<VirtualRegister>>;

  template <class Visit> void for_each_copy(Visit visit) {
    for (const DraftOp& op : draft_.ops)
      if (op.free_copy)
        visit(op);
  }

  // Only registers that free operations touch take part; the others keep empty ranges.
  void describe_registers(const LiveRanges& ranges) {
    std::vector<bool> takes_part(draft_.register_count(), false);
    for_each_copy([&](const DraftOp& op) {
      for (const VirtualRegister r : draft_.reads(op))
        takes_part[r] = true;
      for (const VirtualRegister r : draft_.writes(op))
        takes_part[r] = true;
    });
    std::vector<std::vector<RegisterClasses::Write>> writes = list_writes();
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r)
      if (takes_part[r])
        classes_.describe(r, ranges.of(r), std::move(writes[r]));
  }

  std::vector<std::vector<RegisterClasses::Write>> list_writes() const {
    std::vector<std::vector<RegisterClasses::Write>> writes(draft_.register_count());
    for (std::uint32_t i = 0; i < draft_.ops.size(); ++i) {
      const DraftOp& op = draft_.ops[i];
      const bool is_copy = op.free_copy && op.reads.count == 1;
      for (const VirtualRegister r : draft_.writes(op))
        writes[r].push_back({write_position(i), is_copy ? draft_.reads(op).front() : no_id});
    }
    return writes;
  }

  void merge_copy(const DraftOp& op) {
    if (op.reads.count == 1)
      for (const VirtualRegister d : draft_.writes(op))
        classes_.try_merge(d, draft_.reads(op).front());
  }

  void remove_constant(const DraftOp& op) {
    if (op.reads.count != 0)
      return;
    for (const VirtualRegister d : draft_.writes(op))
      if (classes_.writes(d).size() == 1)
        expansions_[classes_.representative(d)].emplace();
  }

  void remove_packing(const DraftOp& op) {
    if (op.reads.count < 2)
      return;
    for (const VirtualRegister written : draft_.writes(op)) {
      const VirtualRegister d = classes_.representative(written);
      std::vector<VirtualRegister> parts;
      for (const VirtualRegister s : draft_.reads(op))
        append_parts(s, parts);
      const bool is_stable = std::ranges::none_of(
          parts, [&](VirtualRegister part) { return part == d || classes_.is_written_within(part, d); });
      // A register that a packing was replaced by must stay one.
      if (classes_.writes(d).size() != 1 || is_part_[d] || !is_stable)
        continue;
      for (const VirtualRegister part : parts)
        is_part_[part] = true;
      expansions_[d] = std::move(parts);
    }
  }

  void append_parts(VirtualRegister r, std::vector<VirtualRegister>& parts) const {
    const VirtualRegister c = classes_.representative(r);
    const std::vector<VirtualRegister> itself = {c};
    for (const VirtualRegister part : expansions_[c] ? *expansions_[c] : itself)
      if (std::ranges::find(parts, part) == parts.end())
        parts.push_back(part);
  }

  void rewrite() {
    const Draft old = std::move(draft_);
    draft_ = {};
    draft_.widths = old.widths;
    for (VirtualRegister r = 0; r < old.register_count(); ++r) {
      std::uint8_t& width = draft_.widths[classes_.representative(r)];
      width = std::max(width, old.widths[r]);
    }
    for (const MachineBlock& block : old.blocks) {
      const auto first = static_cast<std::uint32_t>(draft_.ops.size());
      for (const DraftOp& op : old.ops_of(block))
        rewrite_op(old, op);
      draft_.blocks.push_back({first, static_cast<std::uint32_t>(draft_.ops.size()) - first});
    }
  }

  void rewrite_op(const Draft& old, const DraftOp& op) {
    std::vector<VirtualRegister> reads, writes;
    for (const VirtualRegister r : old.reads(op))
      append_parts(r, reads);
    for (const VirtualRegister r : old.writes(op))
      if (!op.free_copy || stays_written(old, op, r))
        writes.push_back(classes_.representative(r));
    if (op.free_copy && writes.empty())
      return;
    DraftOp kept = op;
    kept.free_copy = false;
    kept.reads = append(reads);
    kept.writes = append(writes);
    draft_.ops.push_back(kept);
    kept.reads = {};
    kept.beside_previous = true;
    if (op.free_copy)
      draft_.ops.insert(draft_.ops.end(), moves_for(writes) - 1, kept);
  }

  // Whether a free operation must still give `r` its value.
  bool stays_written(const Draft& old, const DraftOp& op, VirtualRegister r) const {
    const VirtualRegister d = classes_.representative(r);
    const bool is_merged = op.reads.count == 1 && d == classes_.representative(old.reads(op).front());
    return !is_merged && !expansions_[d];
  }

  std::uint32_t moves_for(const std::vector<VirtualRegister>& results) const {
    std::uint32_t moves = 0;
    for (const VirtualRegister r : results)
      moves += std::max<std::uint32_t>(draft_.widths[r], 1);
    return moves;
  }

  Range append(const std::vector<VirtualRegister>& registers) {
    const auto begin = static_cast<std::uint32_t>(draft_.pool.size());
    draft_.pool.insert(draft_.pool.end(), registers.begin(), registers.end());
    return {begin, static_cast<std::uint32_t>(registers.size())};
  }

  Draft& draft_;
  std::span<const tasklist::Block> blocks_;
  RegisterClasses classes_;
  std::vector<Expansion> expansions_; // by representative: what its readers read instead
  std::vector<bool> is_part_;         // by representative
};

} // namespace

void coalesce_copies(Draft& draft, std::span<const tasklist::Block> blocks) {
  Coalescer(draft, blocks).run();
}

} // namespace kerncast::machine
