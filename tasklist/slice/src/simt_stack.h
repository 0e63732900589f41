// The SIMT stack of one warp: which lanes are where, and where they meet again.
//
// The top entry executes. A divergent branch turns it into the continuation at the branch's immediate
// post-dominator and pushes one entry per side. A branch on unknown data pushes both sides with the same
// lanes (both sides execute, the worst case); such lanes are in two entries at once.
#pragma once

#include <vector>

#include "origins.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

// Registers that the sides of a branch on unknown data may write, as they were at some time.
struct SlotState {
  std::vector<LaneMask> known;       // by slot
  std::vector<std::uint64_t> values; // 32 per slot, predicates as one mask
  std::vector<LaneOrigins> origins;
};

struct SavedSlots {
  LaneMask lanes = 0; // lanes that go both ways
  std::vector<SlotId> slots;
  SlotState before; // the branch
  // What the lanes hold if they go the other way than the one that executed last: as before the branch, until
  // another way has come to its end.
  SlotState other_way;
};

struct StackEntry {
  // What to do with SavedSlots when the entry becomes the top: the second side starts from the old
  // registers; where sides join, what either side wrote is unknown.
  enum class Resume : std::uint8_t { plain, restore, forget };
  BlockId block = no_id;
  BlockId reconvergence = no_id; // popped when it gets there; no_id: only when its lanes exit
  LaneMask mask = 0;
  LaneMask duplicated = 0; // lanes that are also in the other side of a branch on unknown data
  Resume resume = Resume::plain;
  std::uint32_t saved = no_id;
};

class SimtStack {
public:
  void start(LaneMask lanes) {
    entries_.assign(1, {0, no_id, lanes, 0, StackEntry::Resume::plain, no_id});
    preserved_ = 0;
  }
  bool empty() const { return entries_.empty(); }
  std::size_t depth() const { return entries_.size(); }
  StackEntry& top() { return entries_.back(); }
  // Lanes that wait in lower entries and not in the top: their registers must not change.
  LaneMask preserved() const { return preserved_; }

  // Lanes that wait in lower entries, in blocks that lead to something.
  LaneMask waiting_before(const std::vector<bool>& leading) const {
    LaneMask above = 0, found = 0;
    for (std::size_t e = entries_.size(); e-- > 0; above |= entries_[e].mask) {
      const StackEntry& entry = entries_[e];
      if (e + 1 < entries_.size() && entry.block != no_id && leading[entry.block])
        found |= entry.mask & ~above;
    }
    return found;
  }

  void push(const StackEntry& entry) {
    entries_.push_back(entry);
    update();
  }
  void pop() {
    entries_.pop_back();
    update();
  }
  // The lanes leave the kernel. Lanes that still are on the other side of a branch on unknown data stay
  // there.
  void exit(LaneMask lanes) {
    for (std::size_t e = entries_.size(); e-- > 0;) {
      entries_[e].mask &= ~lanes;
      lanes &= ~entries_[e].duplicated;
    }
    update();
  }

private:
  void update() {
    preserved_ = 0;
    if (entries_.empty())
      return;
    for (std::size_t e = 0; e + 1 < entries_.size(); ++e)
      preserved_ |= entries_[e].mask;
    preserved_ &= ~entries_.back().mask;
  }

  std::vector<StackEntry> entries_;
  LaneMask preserved_ = 0;
};

} // namespace kerncast::slice
