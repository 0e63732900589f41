// Decides which free operations disappear, then rewrites the draft.
#include "coalesce.h"

#include <algorithm>

#include "register_classes.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Range;

class Coalescer {
public:
  Coalescer(Draft& draft, const tasklist::ControlFlow& flow)
      : draft_(draft), flow_(flow), classes_(draft.register_count()) {}

  void run() {
    for (std::uint32_t i = 0; i < draft_.ops.size(); ++i)
      if (draft_.ops[i].free_copy)
        copies_.push_back(i);
    if (copies_.empty())
      return;
    describe_registers();
    expansions_.resize(draft_.register_count());
    is_part_.assign(draft_.register_count(), false);
    for_each_copy([&](const DraftOp& op) { merge_copy(op); });
    for_each_copy([&](const DraftOp& op) { remove_constant(op); });
    for_each_copy([&](const DraftOp& op) { remove_packing(op); });
    rewrite();
  }

private:
  // What readers of a register read instead of it, in part_pool_; nothing of a constant.
  struct Expansion {
    bool is_set = false;
    Range parts;
  };

  template <class Visit> void for_each_copy(Visit visit) {
    for (const std::uint32_t i : copies_)
      visit(draft_.ops[i]);
  }

  // Only registers that free operations touch take part; the others keep empty ranges.
  void describe_registers() {
    std::vector<std::uint8_t> takes_part(draft_.register_count(), 0);
    for_each_copy([&](const DraftOp& op) {
      for (const VirtualRegister r : draft_.reads(op))
        takes_part[r] = 1;
      for (const VirtualRegister r : draft_.writes(op))
        takes_part[r] = 1;
    });
    OccurrenceTable table(draft_, takes_part);
    const LiveBlocks live = find_live_blocks(draft_, flow_, table);
    const LiveRanges ranges = find_live_ranges(draft_, flow_, live, table);
    is_widened_.assign(draft_.register_count(), false);
    std::vector<RegisterClasses::Write> writes;
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r)
      if (takes_part[r] != 0) {
        writes.clear();
        if (table.is_simple(r))
          writes.push_back(write_at(table.range_of_simple(r).begin));
        else
          add_writes(table.of(r), writes);
        is_widened_[r] = is_widened(r, writes);
        classes_.describe(r, ranges.of(r), writes);
      }
  }

  // Only ever a copy of narrower registers: the upper half is zero, which needs no register.
  bool is_widened(VirtualRegister r, std::span<const RegisterClasses::Write> writes) const {
    return !writes.empty() && std::ranges::all_of(writes, [&](const RegisterClasses::Write& w) {
      return w.copied != no_id && draft_.widths[w.copied] < draft_.widths[r];
    });
  }

  void add_writes(std::span<const Occurrence> occurrences,
                  std::vector<RegisterClasses::Write>& writes) const {
    for (const Occurrence& o : occurrences)
      if (o.is_write())
        writes.push_back(write_at(o.position));
  }

  RegisterClasses::Write write_at(std::uint32_t position) const {
    const DraftOp& op = draft_.ops[position / 2];
    const bool is_copy = op.free_copy && op.reads.count == 1;
    return {position, is_copy ? draft_.reads(op).front() : no_id};
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
        expansions_[classes_.representative(d)] = {.is_set = true, .parts = {}};
  }

  void remove_packing(const DraftOp& op) {
    if (op.reads.count < 2)
      return;
    for (const VirtualRegister written : draft_.writes(op)) {
      const VirtualRegister d = classes_.representative(written);
      const std::size_t first = part_pool_.size();
      for (const VirtualRegister s : draft_.reads(op))
        append_parts(s, part_pool_, first);
      const auto parts = std::span(part_pool_).subspan(first);
      const bool is_stable = std::ranges::none_of(
          parts, [&](VirtualRegister part) { return part == d || classes_.is_written_within(part, d); });
      // A register that a packing was replaced by must stay one.
      if (classes_.writes(d).size() != 1 || is_part_[d] || !is_stable) {
        part_pool_.resize(first);
        continue;
      }
      for (const VirtualRegister part : parts)
        is_part_[part] = true;
      expansions_[d] = {true, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(parts.size())}};
    }
  }

  // Each register once behind `first`.
  void append_parts(VirtualRegister r, std::vector<VirtualRegister>& to, std::size_t first) const {
    const VirtualRegister c = classes_.representative(r);
    const auto append = [&](VirtualRegister part) {
      if (std::find(to.begin() + static_cast<std::ptrdiff_t>(first), to.end(), part) == to.end())
        to.push_back(part);
    };
    if (!expansions_[c].is_set)
      append(c);
    for (std::uint32_t i = 0; i < expansions_[c].parts.count; ++i) {
      const VirtualRegister part = part_pool_[expansions_[c].parts.begin + i]; // `to` may be the pool
      append(part);
    }
  }

  void rewrite() {
    const Draft old = std::move(draft_);
    draft_ = {};
    draft_.widths = widths_of_classes(old);
    draft_.ops.reserve(old.ops.size());
    draft_.pool.reserve(old.pool.size());
    draft_.blocks.reserve(old.blocks.size());
    draft_.trip_groups = old.trip_groups;
    draft_.joined_blocks = old.joined_blocks;
    for (const MachineBlock& block : old.blocks) {
      const auto first = static_cast<std::uint32_t>(draft_.ops.size());
      for (const DraftOp& op : old.ops_of(block))
        rewrite_op(old, op);
      draft_.blocks.push_back({first, static_cast<std::uint32_t>(draft_.ops.size()) - first});
    }
  }

  // Of the widest member by representative, of the register itself elsewhere.
  std::vector<std::uint8_t> widths_of_classes(const Draft& old) const {
    std::vector<std::uint8_t> widths(old.register_count(), 0);
    for (VirtualRegister r = 0; r < old.register_count(); ++r)
      if (!is_widened_[r]) {
        std::uint8_t& width = widths[classes_.representative(r)];
        width = std::max(width, old.widths[r]);
      }
    for (VirtualRegister r = 0; r < old.register_count(); ++r)
      if (widths[r] == 0)
        widths[r] = old.widths[r];
    return widths;
  }

  void rewrite_op(const Draft& old, const DraftOp& op) {
    Range reads = {end_of_pool(), 0};
    for (const VirtualRegister r : old.reads(op))
      append_parts(r, draft_.pool, reads.begin);
    reads.count = end_of_pool() - reads.begin;
    Range writes = {end_of_pool(), 0};
    for (const VirtualRegister r : old.writes(op))
      if (!op.free_copy || stays_written(old, op, r))
        draft_.pool.push_back(classes_.representative(r));
    writes.count = end_of_pool() - writes.begin;
    if (op.free_copy && writes.count == 0) {
      draft_.pool.resize(reads.begin);
      return;
    }
    DraftOp& kept = draft_.ops.emplace_back(op);
    kept.free_copy = false;
    kept.reads = reads;
    kept.writes = writes;
    if (op.free_copy)
      add_further_moves();
  }

  std::uint32_t end_of_pool() const { return static_cast<std::uint32_t>(draft_.pool.size()); }

  // Of the copy that was rewritten last.
  void add_further_moves() {
    DraftOp move = draft_.ops.back();
    move.reads = {};
    move.beside_previous = true;
    draft_.ops.insert(draft_.ops.end(), moves_for(draft_.writes(move)) - 1, move);
  }

  // Whether a free operation must still give `r` its value.
  bool stays_written(const Draft& old, const DraftOp& op, VirtualRegister r) const {
    const VirtualRegister d = classes_.representative(r);
    const bool is_merged = op.reads.count == 1 && d == classes_.representative(old.reads(op).front());
    return !is_merged && !expansions_[d].is_set;
  }

  std::uint32_t moves_for(std::span<const VirtualRegister> results) const {
    std::uint32_t moves = 0;
    for (const VirtualRegister r : results)
      moves += std::max<std::uint32_t>(draft_.widths[r], 1);
    return moves;
  }

  Draft& draft_;
  const tasklist::ControlFlow& flow_;
  std::vector<std::uint32_t> copies_; // free ones
  RegisterClasses classes_;
  std::vector<Expansion> expansions_; // by representative
  std::vector<VirtualRegister> part_pool_;
  std::vector<bool> is_part_;    // by representative
  std::vector<bool> is_widened_; // by register: a copy of a narrower one
};

} // namespace

void coalesce_copies(Draft& draft, const tasklist::ControlFlow& flow) { Coalescer(draft, flow).run(); }

} // namespace kerncast::machine
