// Upward from readers (Boissinot and others: Computing Liveness Sets for SSA-Form Programs, section 5.2, here
// for registers with several writers).
#include "live_blocks.h"

#include <algorithm>

#include "dense_liveness.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

constexpr std::uint32_t few_blocks = 32;
constexpr std::uint32_t share_of_blocks = 32; // one of so many blocks is much of the code

class Solver {
public:
  Solver(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table)
      : draft_(draft), flow_(flow), table_(table), live_(flow.successors.node_count(), 0),
        ended_(live_.size(), 0), defined_(live_.size(), 0),
        most_blocks_(std::max(few_blocks, flow.successors.node_count() / share_of_blocks)) {}

  LiveBlocks run() {
    result_.runs_of.resize(table_.register_count());
    for (VirtualRegister r = 0; r < table_.register_count(); ++r)
      if (!table_.is_simple(r) && !is_local(table_.of(r)) && !find_blocks(r))
        everywhere_.push_back(r);
    if (!everywhere_.empty())
      find_dense_liveness(draft_, flow_, table_, everywhere_, result_);
    return std::move(result_);
  }

private:
  // False if the register lives in too many blocks.
  bool find_blocks(VirtualRegister r) {
    if (!mark_live(table_.of(r)))
      return false;
    // A register that lives into the kernel has a read that no write reaches on some way.
    if (live_[0] == epoch_) {
      mark_defined(table_.of(r));
      if (drop_undefined_reads(draft_, r, table_.of(r), [&](BlockId b) { return defined_[b] == epoch_; }))
        mark_live(table_.of(r));
    }
    store(r);
    return true;
  }

  bool mark_live(std::span<Occurrence> occurrences) {
    ++epoch_;
    blocks_.clear();
    for_each_block(occurrences, [&](std::span<const Occurrence> in_block) { note(in_block); });
    for (std::size_t next = 0; next < blocks_.size(); ++next) {
      if (blocks_.size() > most_blocks_)
        return false;
      for (const BlockId p : flow_.predecessors.targets_of(blocks_[next]))
        if (live_[p] != epoch_ && ended_[p] != epoch_)
          make_live(p);
    }
    return true;
  }

  void note(std::span<const Occurrence> in_block) {
    const BlockId b = in_block.front().block;
    for (const Occurrence& o : in_block) {
      if (o.ends_old_value()) {
        ended_[b] = epoch_;
        return;
      }
      if (!o.is_write() && !o.dropped && live_[b] != epoch_)
        make_live(b);
    }
  }

  void make_live(BlockId b) {
    live_[b] = epoch_;
    blocks_.push_back(b);
  }

  // Of the live blocks, those that the register may enter with a value.
  void mark_defined(std::span<Occurrence> occurrences) {
    pending_.clear();
    for (const Occurrence& o : occurrences)
      if (o.is_write())
        enter_successors(o.block);
    while (!pending_.empty()) {
      const BlockId b = pending_.back();
      pending_.pop_back();
      enter_successors(b);
    }
  }

  void enter_successors(BlockId b) {
    for (const BlockId s : flow_.successors.targets_of(b))
      if (live_[s] == epoch_ && defined_[s] != epoch_) {
        defined_[s] = epoch_;
        pending_.push_back(s);
      }
  }

  void store(VirtualRegister r) {
    std::ranges::sort(blocks_);
    const auto begin = static_cast<std::uint32_t>(result_.runs.size());
    for (const BlockId b : blocks_)
      if (result_.runs.size() > begin && result_.runs.back().end == b)
        ++result_.runs.back().end;
      else
        result_.runs.push_back({b, b + 1});
    result_.runs_of[r] = {begin, static_cast<std::uint32_t>(result_.runs.size()) - begin};
  }

  Draft& draft_;
  const tasklist::ControlFlow& flow_;
  OccurrenceTable& table_;
  std::vector<std::uint32_t> live_, ended_, defined_; // by block: the epoch that marked it
  std::uint32_t most_blocks_;
  std::uint32_t epoch_ = 0; // one per walk
  std::vector<BlockId> blocks_, pending_;
  std::vector<VirtualRegister> everywhere_;
  LiveBlocks result_;
};

} // namespace

LiveBlocks find_live_blocks(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table) {
  return Solver(draft, flow, table).run();
}

} // namespace kerncast::machine
