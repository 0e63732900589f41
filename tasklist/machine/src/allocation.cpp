#include "allocation.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using tasklist::no_id;

constexpr std::uint32_t stack_pointer = 1;
constexpr std::uint32_t widest = 4; // an address of four registers is the coarsest alignment

class Allocator {
public:
  Allocator(const Draft& draft, const LiveRanges& ranges, std::span<const std::uint8_t> widths)
      : draft_(draft), ranges_(ranges), widths_(widths), bases_(draft.register_count(), no_id) {}

  std::uint32_t run(std::uint32_t most) {
    physical_.resize(stack_pointer + 1);
    physical_[stack_pointer].push_back({0, UINT32_MAX});
    for (const VirtualRegister r : by_first_position(ranges_)) {
      if (widths_[r] != 0)
        place(r);
      if (physical_.size() > most)
        break;
    }
    return static_cast<std::uint32_t>(physical_.size());
  }

private:
  void place(VirtualRegister r) {
    const std::uint32_t width = widths_[r];
    // In positions where it must find its place free: from its operation's reads on.
    range_.assign(ranges_.of(r).begin(), ranges_.of(r).end());
    const std::uint32_t begin = range_.front().begin;
    const DraftOp* writer = begin % 2 != 0 ? &draft_.ops[begin / 2] : nullptr;
    const bool is_loaded = writer != nullptr && writer->op.kind == OpKind::memory;
    if (writer != nullptr && !is_loaded)
      --range_.front().begin;
    std::uint32_t base = is_loaded ? place_in_address(*writer, width) : no_id;
    if (base == no_id)
      for (base = 0; !is_free(base, width);)
        base += std::min(width, widest);
    bases_[r] = base;
    physical_.resize(std::max<std::size_t>(physical_.size(), base + width));
    for (std::uint32_t i = base; i < base + width; ++i)
      reserve(physical_[i], ranges_.of(r));
  }

  // The upper part of an operand that the operation is the last to read; no_id if there is none so wide.
  std::uint32_t place_in_address(const DraftOp& load, std::uint32_t width) const {
    for (const VirtualRegister s : draft_.reads(load))
      if (bases_[s] != no_id && widths_[s] >= width && is_free(bases_[s] + widths_[s] - width, width))
        return bases_[s] + widths_[s] - width;
    return no_id;
  }

  bool is_free(std::uint32_t base, std::uint32_t width) const {
    for (std::uint32_t i = base; i < std::min<std::size_t>(base + width, physical_.size()); ++i)
      if (!fits(physical_[i]))
        return false;
    return true;
  }

  bool fits(std::span<const Segment> taken) const {
    const auto is_over = [now = range_.front().begin](const Segment& s) { return s.end <= now; };
    const auto first = std::ranges::find_if_not(taken, is_over);
    return !overlap(range_, std::span(first, taken.end()));
  }

  static void reserve(std::vector<Segment>& taken, std::span<const Segment> range) {
    // What is over before the operation ahead of this one is asked for no more.
    const auto is_over = [&](const Segment& s) {
      return s.end < UINT32_MAX - 2 && s.end + 2 <= range.front().begin;
    };
    taken.erase(taken.begin(), std::ranges::find_if_not(taken, is_over));
    const auto old = static_cast<std::ptrdiff_t>(taken.size());
    taken.insert(taken.end(), range.begin(), range.end());
    std::ranges::inplace_merge(taken, taken.begin() + old, {}, &Segment::begin);
  }

  const Draft& draft_;
  const LiveRanges& ranges_;
  std::span<const std::uint8_t> widths_;
  std::vector<std::uint32_t> bases_;           // by virtual register: the first one it has
  std::vector<Segment> range_;                 // of the value at hand
  std::vector<std::vector<Segment>> physical_; // by register: when it is taken
};

} // namespace

std::uint32_t allocate_registers(const Draft& draft, const LiveRanges& ranges,
                                 std::span<const std::uint8_t> widths, std::uint32_t most) {
  return Allocator(draft, ranges, widths).run(most);
}

} // namespace kerncast::machine
