// Register by register, through the blocks it occurs in and those it only passes.
#include "live_ranges.h"

#include <algorithm>
#include <numeric>

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

class RangeBuilder {
public:
  RangeBuilder(const Draft& draft, const tasklist::ControlFlow& flow, const LiveBlocks& blocks,
               OccurrenceTable& table)
      : draft_(draft), flow_(flow), blocks_(blocks), table_(table) {}

  LiveRanges run() {
    const VirtualRegister registers = table_.register_count();
    result_.first.resize(registers + 1);
    result_.segments.reserve(registers);
    for (VirtualRegister r = 0; r < registers; ++r) {
      first_ = result_.first[r] = static_cast<std::uint32_t>(result_.segments.size());
      if (table_.is_simple(r))
        result_.segments.push_back(table_.range_of_simple(r));
      else
        add_register(r);
    }
    result_.first.back() = static_cast<std::uint32_t>(result_.segments.size());
    return std::move(result_);
  }

private:
  void add_register(VirtualRegister r) {
    const auto occurrences = table_.of(r);
    runs_ = blocks_.of(r);
    if (!runs_.empty() || !is_local(occurrences))
      add_blocks(occurrences);
    else if (!occurrences.empty())
      add_block(occurrences, false);
  }

  void add_blocks(std::span<Occurrence> occurrences) {
    run_ = 0;
    next_ = runs_.empty() ? 0 : runs_.front().begin;
    for_each_block(occurrences, [&](std::span<Occurrence> in_block) {
      const BlockId b = in_block.front().block;
      pass_until(b);
      const bool lives_in = run_ < runs_.size() && next_ == b;
      add_block(in_block, lives_in);
      if (lives_in)
        go_on_from(b + 1);
    });
    pass_until(flow_.successors.node_count());
  }

  void pass_until(BlockId b) {
    while (run_ < runs_.size() && next_ < b) {
      const BlockId end = std::min(runs_[run_].end, b);
      add({begin_of(next_), begin_of(end)});
      go_on_from(end);
    }
  }

  void go_on_from(BlockId b) {
    next_ = b;
    if (b == runs_[run_].end && ++run_ < runs_.size())
      next_ = runs_[run_].begin;
  }

  std::uint32_t begin_of(BlockId b) const {
    return read_position(b < draft_.blocks.size() ? draft_.blocks[b].first_op
                                                  : static_cast<std::uint32_t>(draft_.ops.size()));
  }

  bool lives_into(BlockId b) const {
    const auto run = std::ranges::upper_bound(runs_, b, {}, &BlockRun::begin);
    return run != runs_.begin() && b < std::prev(run)->end;
  }

  bool lives_out_of(BlockId b) const {
    return !runs_.empty() &&
           std::ranges::any_of(flow_.successors.targets_of(b), [&](BlockId s) { return lives_into(s); });
  }

  // Backward through one block.
  void add_block(std::span<const Occurrence> in_block, bool lives_in) {
    const BlockId b = in_block.front().block;
    bool live = lives_out_of(b);
    std::uint32_t end = begin_of(b + 1);
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
    if (live) // else a guarded write of a register without a value
      backward_.push_back({lives_in ? begin_of(b) : in_block.front().position, end});
    for (std::size_t i = backward_.size(); i-- > 0;)
      add(backward_[i]);
  }

  void add(Segment s) {
    if (s.begin == s.end) // an empty block
      return;
    if (result_.segments.size() > first_ && result_.segments.back().end == s.begin)
      result_.segments.back().end = s.end;
    else
      result_.segments.push_back(s);
  }

  const Draft& draft_;
  const tasklist::ControlFlow& flow_;
  const LiveBlocks& blocks_;
  OccurrenceTable& table_;
  std::uint32_t first_ = 0;        // segment of the register at hand
  std::span<const BlockRun> runs_; // of the register at hand
  std::size_t run_ = 0;            // the first that is not added whole
  BlockId next_ = 0;               // the first of its blocks that is not added
  std::vector<Segment> backward_;
  LiveRanges result_;
};

} // namespace

LiveRanges find_live_ranges(const Draft& draft, const tasklist::ControlFlow& flow, const LiveBlocks& blocks,
                            OccurrenceTable& table) {
  return RangeBuilder(draft, flow, blocks, table).run();
}

bool covers(std::span<const Segment> range, std::uint32_t position) {
  if (range.size() == 1) // most are
    return range.front().begin <= position && position < range.front().end;
  const auto after = std::ranges::upper_bound(range, position, {}, &Segment::begin);
  return after != range.begin() && position < std::prev(after)->end;
}

std::vector<VirtualRegister> by_first_position(const LiveRanges& ranges) {
  constexpr std::uint32_t never = tasklist::no_id;
  const auto begin_of = [&](VirtualRegister r) {
    return ranges.first[r] != ranges.first[r + 1] ? ranges.segments[ranges.first[r]].begin : never;
  };
  std::uint32_t registers = 0, positions = 0;
  for (VirtualRegister r = 0; r < ranges.register_count(); ++r)
    if (const std::uint32_t begin = begin_of(r); begin != never) {
      positions = std::max(positions, begin + 1);
      ++registers;
    }
  std::vector<std::uint32_t> next(positions, 0); // by position: the place in `order` behind those of it
  for (VirtualRegister r = 0; r < ranges.register_count(); ++r)
    if (const std::uint32_t begin = begin_of(r); begin != never)
      ++next[begin];
  std::inclusive_scan(next.begin(), next.end(), next.begin());
  std::vector<VirtualRegister> order(registers);
  for (VirtualRegister r = ranges.register_count(); r-- > 0;)
    if (const std::uint32_t begin = begin_of(r); begin != never)
      order[--next[begin]] = r;
  return order;
}

} // namespace kerncast::machine
