// Linear scan over live ranges with holes.
#include "slots.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kerncast::machine {
namespace {

// Segments of each slot that are not yet over, ascending and apart. Every segment is one slot's, so that
// those of a slot are linked.
class Reserved {
public:
  explicit Reserved(std::span<const Segment> segments) : segments_(segments), next_(segments.size(), none) {}

  std::uint32_t slot_count() const { return static_cast<std::uint32_t>(first_.size()); }
  std::uint32_t add_slot() {
    first_.push_back(none);
    return slot_count() - 1;
  }
  bool is_empty(std::uint32_t slot) const { return first_[slot] == none; }
  const Segment& front(std::uint32_t slot) const { return segments_[first_[slot]]; }

  void drop_until(std::uint32_t slot, std::uint32_t now) {
    while (!is_empty(slot) && front(slot).end <= now)
      first_[slot] = next_[first_[slot]];
  }

  // Segments are named by the first one's place among all and their number.
  bool overlap(std::uint32_t slot, tasklist::Range range) const {
    std::uint32_t theirs = first_[slot], mine = range.begin;
    while (theirs != none && mine != range.begin + range.count)
      if (segments_[mine].end <= segments_[theirs].begin)
        ++mine;
      else if (segments_[theirs].end <= segments_[mine].begin)
        theirs = next_[theirs];
      else
        return true;
    return false;
  }

  void add(std::uint32_t slot, tasklist::Range range) {
    std::uint32_t* link = &first_[slot];
    for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
      while (*link != none && segments_[*link].begin < segments_[i].begin)
        link = &next_[*link];
      next_[i] = std::exchange(*link, i);
      link = &next_[i];
    }
  }

private:
  static constexpr std::uint32_t none = tasklist::no_id;

  std::span<const Segment> segments_;
  std::vector<std::uint32_t> first_; // by slot
  std::vector<std::uint32_t> next_;  // by segment: of the same slot
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
  explicit Scan(const LiveRanges& ranges)
      : ranges_(ranges), reserved_(ranges.segments), busy_(positions_of(ranges)) {}

  SlotAssignment run() {
    result_.slots.assign(ranges_.register_count(), tasklist::no_id);
    for (const VirtualRegister r : by_first_position(ranges_))
      result_.slots[r] = assign({ranges_.first[r], ranges_.first[r + 1] - ranges_.first[r]});
    result_.slot_count = reserved_.slot_count();
    return std::move(result_);
  }

private:
  static std::uint32_t positions_of(const LiveRanges& ranges) {
    std::uint32_t end = 0;
    for (const Segment& segment : ranges.segments)
      end = std::max(end, segment.end);
    return end + 1;
  }

  std::uint32_t assign(tasklist::Range range) {
    const Segment& first = ranges_.segments[range.begin];
    busy_.take_until(first.begin, [&](std::uint32_t slot) { free_.insert(slot); });
    const std::uint32_t slot = find_slot(range, first.begin);
    reserved_.add(slot, range);
    free_.erase(slot);
    busy_.add(first.end, slot);
    return slot;
  }

  std::uint32_t find_slot(tasklist::Range range, std::uint32_t now) {
    for (std::uint32_t slot = free_.at_least(0); slot != tasklist::no_id; slot = free_.at_least(slot + 1)) {
      reserved_.drop_until(slot, now);
      if (!reserved_.is_empty(slot) && reserved_.front(slot).begin <= now) { // a hole that has ended
        busy_.add(reserved_.front(slot).end, slot);
        free_.erase(slot);
      } else if (!reserved_.overlap(slot, range)) {
        return slot;
      }
    }
    return reserved_.add_slot();
  }

  const LiveRanges& ranges_;
  SlotAssignment result_;
  Reserved reserved_;
  NumberSet free_; // slots that may be free now
  Releases busy_;
};

} // namespace

SlotAssignment assign_slots(const LiveRanges& ranges) { return Scan(ranges).run(); }

} // namespace kerncast::machine
