// Backward liveness, one register at a time, with stamps instead of sets.
#include "live_ranges.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

// A set of blocks is dense when it has one of so many.
constexpr std::uint32_t dense_spacing = 8;

struct Occurrence {
  std::uint32_t position = 0;
  BlockId block = 0;
  bool keeps = false;   // a guarded write: the old value may remain
  bool dropped = false; // a read of nothing
  bool is_write() const { return position % 2 != 0; }
  bool ends_old_value() const { return is_write() && !keeps; }
};

struct OccurrenceTable {
  std::vector<std::uint32_t> first; // by register, one more at the end
  std::vector<Occurrence> occurrences;
  std::span<Occurrence> of(VirtualRegister r) {
    return std::span(occurrences).subspan(first[r], first[r + 1] - first[r]);
  }
};

template <class Visit> void for_each_occurrence(const Draft& draft, Visit visit) {
  for (BlockId b = 0; b < draft.blocks.size(); ++b) {
    const MachineBlock& block = draft.blocks[b];
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
      const DraftOp& op = draft.ops[i];
      for (const VirtualRegister r : draft.reads(op))
        visit(r, Occurrence{.position = read_position(i), .block = b});
      for (const VirtualRegister r : draft.writes(op))
        visit(r, Occurrence{.position = write_position(i), .block = b, .keeps = op.guarded});
    }
  }
}

OccurrenceTable list_occurrences(const Draft& draft) {
  OccurrenceTable table;
  table.first.assign(draft.register_count() + 1, 0);
  for_each_occurrence(draft, [&](VirtualRegister r, const Occurrence&) { ++table.first[r + 1]; });
  for (std::size_t r = 1; r < table.first.size(); ++r)
    table.first[r] += table.first[r - 1];
  table.occurrences.resize(table.first.back());
  std::vector<std::uint32_t> next(table.first.begin(), table.first.end() - 1);
  for_each_occurrence(draft,
                      [&](VirtualRegister r, const Occurrence& o) { table.occurrences[next[r]++] = o; });
  return table;
}

struct Predecessors {
  std::vector<std::uint32_t> first;
  std::vector<BlockId> blocks;
  std::span<const BlockId> of(BlockId b) const {
    return std::span(blocks).subspan(first[b], first[b + 1] - first[b]);
  }
};

Predecessors find_predecessors(std::span<const tasklist::Block> blocks) {
  Predecessors p;
  p.first.assign(blocks.size() + 1, 0);
  for (const tasklist::Block& block : blocks)
    for (const BlockId s : block.successors)
      ++p.first[s + 1];
  for (std::size_t b = 1; b < p.first.size(); ++b)
    p.first[b] += p.first[b - 1];
  p.blocks.resize(p.first.back());
  std::vector<std::uint32_t> next(p.first.begin(), p.first.end() - 1);
  for (BlockId b = 0; b < blocks.size(); ++b)
    for (const BlockId s : blocks[b].successors)
      p.blocks[next[s]++] = b;
  return p;
}

// A set of blocks that is cleared by counting up.
class BlockSet {
public:
  explicit BlockSet(std::size_t blocks) : stamps_(blocks, 0) {}
  void clear() {
    ++stamp_;
    members_.clear();
  }
  bool insert(BlockId b) {
    if (stamps_[b] == stamp_)
      return false;
    stamps_[b] = stamp_;
    members_.push_back(b);
    return true;
  }
  bool contains(BlockId b) const { return stamps_[b] == stamp_; }
  const std::vector<BlockId>& members() const { return members_; }

private:
  std::vector<std::uint32_t> stamps_;
  std::vector<BlockId> members_;
  std::uint32_t stamp_ = 0;
};

// Calls visit(occurrences of one block) for every block the register occurs in, in order.
template <class Visit> void for_each_block(std::span<Occurrence> all, Visit visit) {
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].block == all[i].block)
      ++end;
    visit(all.subspan(i, end - i));
    i = end;
  }
}

class Solver {
public:
  Solver(Draft& draft, std::span<const tasklist::Block> blocks)
      : draft_(draft), blocks_(blocks), predecessors_(find_predecessors(blocks)), live_in_(blocks.size()),
        live_out_(blocks.size()), ending_(blocks.size()), defined_in_(blocks.size()),
        touched_(blocks.size()) {}

  LiveRanges run() {
    OccurrenceTable table = list_occurrences(draft_);
    ranges_.first.push_back(0);
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r) {
      const std::span<Occurrence> occurrences = table.of(r);
      find_live_blocks(occurrences);
      if (!blocks_.empty() && live_in_.contains(0)) {
        drop_undefined_reads(r, occurrences);
        find_live_blocks(occurrences);
      }
      add_segments(occurrences);
      ranges_.first.push_back(static_cast<std::uint32_t>(ranges_.segments.size()));
    }
    return std::move(ranges_);
  }

private:
  void find_live_blocks(std::span<Occurrence> occurrences) {
    live_in_.clear();
    live_out_.clear();
    ending_.clear();
    for_each_block(occurrences, [&](std::span<Occurrence> in_block) { note_block(in_block); });
    for (std::size_t i = 0; i < live_in_.members().size(); ++i)
      for (const BlockId p : predecessors_.of(live_in_.members()[i]))
        if (live_out_.insert(p) && !ending_.contains(p))
          live_in_.insert(p);
  }

  void note_block(std::span<const Occurrence> in_block) {
    for (const Occurrence& o : in_block) {
      if (o.dropped)
        continue;
      if (!o.is_write() && !ending_.contains(o.block))
        live_in_.insert(o.block);
      if (o.ends_old_value())
        ending_.insert(o.block);
    }
  }

  // Blocks that the register may enter with a value, of those it is live into.
  void find_defined_blocks(std::span<const Occurrence> occurrences) {
    defined_in_.clear();
    const auto enter_successors = [&](BlockId b) {
      for (const BlockId s : blocks_[b].successors)
        if (live_in_.contains(s))
          defined_in_.insert(s);
    };
    for (const Occurrence& o : occurrences)
      if (o.is_write())
        enter_successors(o.block);
    for (std::size_t i = 0; i < defined_in_.members().size(); ++i)
      enter_successors(defined_in_.members()[i]);
  }

  void drop_undefined_reads(VirtualRegister r, std::span<Occurrence> occurrences) {
    find_defined_blocks(occurrences);
    for_each_block(occurrences, [&](std::span<Occurrence> in_block) {
      bool defined = defined_in_.contains(in_block.front().block);
      for (Occurrence& o : in_block) {
        if (!o.is_write() && !defined) {
          o.dropped = true;
          drop_read(draft_.ops[o.position / 2], r);
        }
        if (o.is_write()) {
          o.keeps = o.keeps && defined;
          defined = true;
        }
      }
    });
  }

  void drop_read(DraftOp& op, VirtualRegister r) {
    const auto begin = draft_.pool.begin() + op.reads.begin;
    const auto end = std::remove(begin, begin + op.reads.count, r);
    op.reads.count = static_cast<std::uint32_t>(end - begin);
  }

  void add_segments(std::span<const Occurrence> occurrences) {
    std::size_t next = 0;
    for (const BlockId b : touched_blocks(occurrences)) {
      std::size_t end = next;
      while (end < occurrences.size() && occurrences[end].block == b)
        ++end;
      add_block_segments(b, occurrences.subspan(next, end - next));
      next = end;
    }
  }

  // Blocks where the register occurs or lives, ascending. Dense sets are read off faster than sorted.
  const std::vector<BlockId>& touched_blocks(std::span<const Occurrence> occurrences) {
    touched_.clear();
    for (const BlockId b : live_out_.members())
      touched_.insert(b);
    for (const BlockId b : live_in_.members())
      touched_.insert(b);
    for (const Occurrence& o : occurrences)
      touched_.insert(o.block);
    ascending_.assign(touched_.members().begin(), touched_.members().end());
    if (ascending_.empty())
      return ascending_;
    const auto [low, high] = std::ranges::minmax(ascending_);
    if ((high - low) / dense_spacing >= ascending_.size()) {
      std::ranges::sort(ascending_);
      return ascending_;
    }
    ascending_.clear();
    for (BlockId b = low; b <= high; ++b)
      if (touched_.contains(b))
        ascending_.push_back(b);
    return ascending_;
  }

  // Backward through one block.
  void add_block_segments(BlockId b, std::span<const Occurrence> in_block) {
    const MachineBlock& block = draft_.blocks[b];
    bool live = live_out_.contains(b);
    std::uint32_t end = read_position(block.first_op + block.op_count);
    backward_.clear();
    for (std::size_t i = in_block.size(); i-- > 0;) {
      const Occurrence& o = in_block[i];
      if (o.is_write() && !live)
        backward_.push_back({o.position, o.position + 1}); // never read
      else if (o.ends_old_value()) {
        backward_.push_back({o.position, end});
        live = false;
      } else if (!o.is_write() && !o.dropped && !live) {
        live = true;
        end = o.position + 1;
      }
    }
    if (live)
      backward_.push_back({read_position(block.first_op), end});
    for (std::size_t i = backward_.size(); i-- > 0;)
      add_segment(backward_[i]);
  }

  void add_segment(Segment s) {
    if (s.begin == s.end) // an empty block
      return;
    if (ranges_.segments.size() > ranges_.first.back() && ranges_.segments.back().end == s.begin)
      ranges_.segments.back().end = s.end;
    else
      ranges_.segments.push_back(s);
  }

  Draft& draft_;
  std::span<const tasklist::Block> blocks_;
  Predecessors predecessors_;
  BlockSet live_in_, live_out_, ending_, defined_in_, touched_;
  std::vector<BlockId> ascending_;
  std::vector<Segment> backward_;
  LiveRanges ranges_;
};

} // namespace

LiveRanges find_live_ranges(Draft& draft, std::span<const tasklist::Block> blocks) {
  return Solver(draft, blocks).run();
}

} // namespace kerncast::machine
