// Linear scan over live ranges with holes.
#include "slots.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kerncast::machine {
namespace {

// Segments of one slot that are not yet over, ascending and apart.
class Reserved {
public:
  bool empty() const { return begin_ == segments_.size(); }
  const Segment& front() const { return segments_[begin_]; }
  std::span<const Segment> all() const { return std::span(segments_).subspan(begin_); }

  void drop_until(std::uint32_t now) {
    while (!empty() && front().end <= now)
      ++begin_;
  }

  void add(std::span<const Segment> range) {
    if (empty()) {
      segments_.assign(range.begin(), range.end());
      begin_ = 0;
      return;
    }
    std::size_t old_end = segments_.size();
    segments_.insert(segments_.end(), range.begin(), range.end());
    // Merges from behind, in place, until all new ones have theirs.
    for (std::size_t end = segments_.size(), i = range.size(); i > 0; --end) {
      const bool is_old = old_end > begin_ && range[i - 1].begin < segments_[old_end - 1].begin;
      segments_[end - 1] = is_old ? segments_[--old_end] : range[--i];
    }
  }

private:
  std::vector<Segment> segments_;
  std::size_t begin_ = 0; // those before it are over
};

// Numbers in ascending order.
class NumberSet {
public:
  void insert(std::uint32_t n) {
    if (n / 64 >= words_.size())
      words_.resize(n / 64 + 1, 0);
    words_[n / 64] |= std::uint64_t{1} << n % 64;
  }
  void erase(std::uint32_t n) {
    if (n / 64 < words_.size())
      words_[n / 64] &= ~(std::uint64_t{1} << n % 64);
  }
  // The least one that is at least `n`, no_id if there is none.
  std::uint32_t at_least(std::uint32_t n) const {
    for (std::size_t w = n / 64; w < words_.size(); ++w) {
      const std::uint64_t rest = w == n / 64 ? words_[w] >> n % 64 << n % 64 : words_[w];
      if (rest != 0)
        return static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(rest));
    }
    return tasklist::no_id;
  }

private:
  std::vector<std::uint64_t> words_;
};

// Slots by the position at which they may be free again; each slot is there once at most.
class Releases {
public:
  // Up to the last position of all.
  explicit Releases(std::uint32_t positions) : first_(positions, tasklist::no_id) {}

  void add(std::uint32_t position, std::uint32_t slot) {
    if (slot >= next_.size())
      next_.resize(slot + 1, tasklist::no_id);
    next_[slot] = std::exchange(first_[position], slot);
  }

  // Those up to and at `now`, which never goes back.
  template <class Visit> void take_until(std::uint32_t now, Visit visit) {
    for (; begin_ <= now && begin_ < first_.size(); ++begin_)
      for (std::uint32_t slot = first_[begin_]; slot != tasklist::no_id; slot = next_[slot])
        visit(slot);
  }

private:
  std::vector<std::uint32_t> first_; // by position, no_id: none
  std::vector<std::uint32_t> next_;  // by slot: of the same position
  std::uint32_t begin_ = 0;          // positions before it are taken
};

class Scan {
public:
  explicit Scan(const LiveRanges& ranges) : ranges_(ranges), busy_(positions_of(ranges)) {}

  SlotAssignment run() {
    result_.slots.assign(ranges_.register_count(), tasklist::no_id);
    for (const VirtualRegister r : by_first_position(ranges_))
      result_.slots[r] = assign(ranges_.of(r));
    result_.slot_count = static_cast<std::uint32_t>(reserved_.size());
    return std::move(result_);
  }

private:
  static std::uint32_t positions_of(const LiveRanges& ranges) {
    std::uint32_t end = 0;
    for (const Segment& segment : ranges.segments)
      end = std::max(end, segment.end);
    return end + 1;
  }

  std::uint32_t assign(std::span<const Segment> range) {
    const std::uint32_t now = range.front().begin;
    busy_.take_until(now, [&](std::uint32_t slot) { free_.insert(slot); });
    const std::uint32_t slot = find_slot(range, now);
    reserved_[slot].add(range);
    free_.erase(slot);
    busy_.add(range.front().end, slot);
    return slot;
  }

  std::uint32_t find_slot(std::span<const Segment> range, std::uint32_t now) {
    for (std::uint32_t slot = free_.at_least(0); slot != tasklist::no_id; slot = free_.at_least(slot + 1)) {
      Reserved& reserved = reserved_[slot];
      reserved.drop_until(now);
      if (!reserved.empty() && reserved.front().begin <= now) { // a hole that has ended
        busy_.add(reserved.front().end, slot);
        free_.erase(slot);
      } else if (!overlap(range, reserved.all())) {
        return slot;
      }
    }
    reserved_.emplace_back();
    return static_cast<std::uint32_t>(reserved_.size()) - 1;
  }

  const LiveRanges& ranges_;
  SlotAssignment result_;
  std::vector<Reserved> reserved_; // by slot
  NumberSet free_;                 // slots that may be free now
  Releases busy_;
};

} // namespace

SlotAssignment assign_slots(const LiveRanges& ranges) { return Scan(ranges).run(); }

} // namespace kerncast::machine
