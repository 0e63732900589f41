// Registers of one block are followed there; the others 64 at a time over blocks (live_blocks.h), then each
// block's occurrences in between.
#include "live_ranges.h"

#include <algorithm>
#include <bit>

#include "live_blocks.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

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

// Whether a register is written before it is read and never leaves its block.
bool is_local(std::span<const Occurrence> occurrences) {
  return occurrences.empty() ||
         (occurrences.front().block == occurrences.back().block && occurrences.front().ends_old_value());
}

class Solver {
public:
  Solver(Draft& draft, std::span<const tasklist::Block> blocks)
      : draft_(draft), table_(list_occurrences(draft)), live_(blocks), segments_(registers_per_batch) {}

  LiveRanges run() {
    std::vector<std::vector<Segment>> ranges(draft_.register_count());
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r) {
      if (is_local(table_.of(r)))
        ranges[r] = local_range(table_.of(r));
      else
        batch_.push_back(r);
      if (batch_.size() == registers_per_batch)
        solve_batch(ranges);
    }
    solve_batch(ranges);
    return joined(ranges);
  }

private:
  // All occurrences of one register in one block.
  struct Visit {
    BlockId block = 0;
    std::uint32_t bit = 0;
    std::span<Occurrence> occurrences;
  };

  static LiveRanges joined(const std::vector<std::vector<Segment>>& ranges) {
    LiveRanges result;
    result.first.push_back(0);
    for (const std::vector<Segment>& range : ranges) {
      result.segments.insert(result.segments.end(), range.begin(), range.end());
      result.first.push_back(static_cast<std::uint32_t>(result.segments.size()));
    }
    return result;
  }

  std::vector<Segment> local_range(std::span<const Occurrence> occurrences) {
    std::vector<Segment> range;
    if (!occurrences.empty())
      add_block_segments(range, occurrences, false);
    return range;
  }

  void solve_batch(std::vector<std::vector<Segment>>& ranges) {
    if (batch_.empty())
      return;
    list_visits();
    note_effects();
    live_.solve();
    // A register that lives into the kernel has a read that no write reaches.
    if (const RegisterBits undefined = live_.in(0); undefined != 0) {
      drop_undefined_reads(undefined);
      note_effects();
      live_.solve();
    }
    sweep();
    for (std::uint32_t i = 0; i < batch_.size(); ++i)
      ranges[batch_[i]] = std::move(segments_[i]);
    for (std::vector<Segment>& segments : segments_)
      segments.clear();
    batch_.clear();
  }

  void list_visits() {
    visits_.clear();
    for (std::uint32_t i = 0; i < batch_.size(); ++i)
      for_each_block(table_.of(batch_[i]), [&](std::span<Occurrence> in_block) {
        visits_.push_back({in_block.front().block, i, in_block});
      });
    std::ranges::stable_sort(visits_, {}, &Visit::block);
  }

  void note_effects() {
    live_.start();
    for (const Visit& v : visits_) {
      BlockEffects& effects = live_.effects(v.block);
      const RegisterBits bit = RegisterBits{1} << v.bit;
      for (const Occurrence& o : v.occurrences) {
        if (o.is_write())
          effects.writes |= bit;
        else if (!o.dropped && (effects.ends & bit) == 0)
          effects.reads |= bit;
        if (o.ends_old_value())
          effects.ends |= bit;
      }
    }
  }

  void drop_undefined_reads(RegisterBits undefined) {
    const std::vector<RegisterBits>& defined_in = live_.find_defined();
    for (const Visit& v : visits_) {
      if ((undefined >> v.bit & 1) == 0)
        continue;
      bool defined = (defined_in[v.block] >> v.bit & 1) != 0;
      for (Occurrence& o : v.occurrences) {
        if (!o.is_write() && !defined) {
          o.dropped = true;
          drop_read(draft_.ops[o.position / 2], batch_[v.bit]);
        }
        if (o.is_write()) {
          o.keeps = o.keeps && defined;
          defined = true;
        }
      }
    }
  }

  void drop_read(DraftOp& op, VirtualRegister r) {
    const auto begin = draft_.pool.begin() + op.reads.begin;
    const auto end = std::remove(begin, begin + op.reads.count, r);
    op.reads.count = static_cast<std::uint32_t>(end - begin);
  }

  // Through the blocks in the code's order, with the registers that are live from one into the next.
  void sweep() {
    std::array<std::uint32_t, registers_per_batch> since{};
    RegisterBits open = 0;
    auto visit = visits_.begin();
    const auto close = [&](std::uint32_t bit, std::uint32_t position) {
      add_segment(segments_[bit], {since[bit], position});
    };
    for (BlockId b = 0; b < draft_.blocks.size(); ++b) {
      const MachineBlock& block = draft_.blocks[b];
      const std::uint32_t begin = read_position(block.first_op);
      for (RegisterBits changed = open ^ live_.in(b); changed != 0; changed &= changed - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(changed));
        if ((open >> bit & 1) != 0)
          close(bit, begin);
        since[bit] = begin;
      }
      open = live_.in(b);
      for (; visit != visits_.end() && visit->block == b; ++visit) {
        if ((open >> visit->bit & 1) != 0)
          close(visit->bit, begin);
        const bool lives_on = (live_.out(b) >> visit->bit & 1) != 0;
        add_block_segments(segments_[visit->bit], visit->occurrences, lives_on);
        since[visit->bit] = read_position(block.first_op + block.op_count);
      }
      open = live_.out(b);
    }
    for (; open != 0; open &= open - 1) // around a loop that ends the code
      close(static_cast<std::uint32_t>(std::countr_zero(open)), end_of_code());
  }

  std::uint32_t end_of_code() const { return read_position(static_cast<std::uint32_t>(draft_.ops.size())); }

  // Backward through one block.
  void add_block_segments(std::vector<Segment>& range, std::span<const Occurrence> in_block, bool lives_on) {
    const MachineBlock& block = draft_.blocks[in_block.front().block];
    bool live = lives_on;
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
      add_segment(range, backward_[i]);
  }

  static void add_segment(std::vector<Segment>& range, Segment s) {
    if (s.begin == s.end) // an empty block
      return;
    if (!range.empty() && range.back().end == s.begin)
      range.back().end = s.end;
    else
      range.push_back(s);
  }

  Draft& draft_;
  OccurrenceTable table_;
  LiveBlocks live_;
  std::vector<VirtualRegister> batch_;
  std::vector<Visit> visits_;                  // by block
  std::vector<std::vector<Segment>> segments_; // by bit
  std::vector<Segment> backward_;
};

} // namespace

LiveRanges find_live_ranges(Draft& draft, std::span<const tasklist::Block> blocks) {
  return Solver(draft, blocks).run();
}

} // namespace kerncast::machine
