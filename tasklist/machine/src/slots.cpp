// Linear scan over live ranges with holes.
#include "slots.h"

#include <algorithm>
#include <queue>
#include <set>

namespace kerncast::machine {
namespace {

struct BeginsFirst {
  bool operator()(const Segment& a, const Segment& b) const { return a.begin < b.begin; }
};

class Scan {
public:
  explicit Scan(const LiveRanges& ranges) : ranges_(ranges) {}

  SlotAssignment run() {
    const auto registers = static_cast<VirtualRegister>(ranges_.first.size() - 1);
    result_.slots.assign(registers, tasklist::no_id);
    std::vector<VirtualRegister> order;
    for (VirtualRegister r = 0; r < registers; ++r)
      if (!ranges_.of(r).empty())
        order.push_back(r);
    std::ranges::stable_sort(order, {}, [&](VirtualRegister r) { return ranges_.of(r).front().begin; });
    for (const VirtualRegister r : order)
      result_.slots[r] = assign(ranges_.of(r));
    result_.slot_count = static_cast<std::uint32_t>(reserved_.size());
    return std::move(result_);
  }

private:
  std::uint32_t assign(std::span<const Segment> range) {
    const std::uint32_t now = range.front().begin;
    release(now);
    const std::uint32_t slot = find_slot(range, now);
    reserved_[slot].insert(range.begin(), range.end());
    free_.erase(slot);
    busy_.push({range.front().end, slot});
    return slot;
  }

  void release(std::uint32_t now) {
    while (!busy_.empty() && busy_.top().first <= now) {
      free_.insert(busy_.top().second);
      busy_.pop();
    }
  }

  std::uint32_t find_slot(std::span<const Segment> range, std::uint32_t now) {
    for (auto candidate = free_.begin(); candidate != free_.end();) {
      const std::uint32_t slot = *candidate;
      std::set<Segment, BeginsFirst>& reserved = reserved_[slot];
      while (!reserved.empty() && reserved.begin()->end <= now)
        reserved.erase(reserved.begin());
      if (!reserved.empty() && reserved.begin()->begin <= now) { // a hole that has ended
        busy_.push({reserved.begin()->end, slot});
        candidate = free_.erase(candidate);
      } else if (fits(range, reserved)) {
        return slot;
      } else {
        ++candidate;
      }
    }
    reserved_.emplace_back();
    return static_cast<std::uint32_t>(reserved_.size()) - 1;
  }

  static bool fits(std::span<const Segment> range, const std::set<Segment, BeginsFirst>& reserved) {
    auto mine = range.begin();
    auto theirs = reserved.begin();
    while (mine != range.end() && theirs != reserved.end()) {
      if (mine->end <= theirs->begin)
        ++mine;
      else if (theirs->end <= mine->begin)
        ++theirs;
      else
        return false;
    }
    return true;
  }

  using Release = std::pair<std::uint32_t, std::uint32_t>; // position, slot

  const LiveRanges& ranges_;
  SlotAssignment result_;
  std::vector<std::set<Segment, BeginsFirst>> reserved_; // by slot: segments not yet over
  std::set<std::uint32_t> free_;                         // slots that may be free now
  std::priority_queue<Release, std::vector<Release>, std::greater<>> busy_;
};

} // namespace

SlotAssignment assign_slots(const LiveRanges& ranges) { return Scan(ranges).run(); }

} // namespace kerncast::machine
