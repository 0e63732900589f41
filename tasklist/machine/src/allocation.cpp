#include "allocation.h"

#include <algorithm>
#include <bit>

#include "register_tuples.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;

constexpr std::uint32_t stack_pointer = 1;
constexpr std::uint32_t widest = 4; // an address of four registers is the coarsest alignment

class Allocator {
public:
  Allocator(const Draft& draft, const LiveRanges& ranges, std::span<const std::uint8_t> widths)
      : draft_(draft), ranges_(ranges), widths_(widths), tuples_(find_register_tuples(draft, widths)),
        bases_(draft.register_count(), no_id) {}

  std::uint32_t run(std::uint32_t most) {
    physical_.resize(stack_pointer + 1);
    physical_[stack_pointer].push_back({0, UINT32_MAX});
    for (const VirtualRegister r : by_first_position(ranges_)) {
      if (widths_[r] != 0 && bases_[r] == no_id)
        place(r);
      if (physical_.size() > most)
        break;
    }
    return static_cast<std::uint32_t>(physical_.size());
  }

private:
  // With what lies beside it.
  void place(VirtualRegister r) {
    const auto tuple = tuples_.around(r);
    const std::span<const VirtualRegister> values = tuple.empty() ? std::span(&r, 1) : tuple;
    const std::uint32_t begin = ranges_.of(r).front().begin;
    const DraftOp* writer = begin % 2 != 0 ? &draft_.ops[begin / 2] : nullptr;
    const bool is_loaded = writer != nullptr && writer->op.kind == OpKind::memory;
    note_ranges(values);
    std::uint32_t base = is_loaded && tuple.empty() ? place_in_address(*writer, widths_[r]) : no_id;
    if (base == no_id)
      for (base = 0; !are_free(values, base);)
        base += std::min(alignment_of(values), widest);
    for (const VirtualRegister v : values) {
      bases_[v] = base;
      physical_.resize(std::max<std::size_t>(physical_.size(), base + widths_[v]));
      for (std::uint32_t i = base; i < base + widths_[v]; ++i)
        reserve(physical_[i], ranges_.of(v), begin);
      base += widths_[v];
    }
  }

  // A power of two.
  std::uint32_t alignment_of(std::span<const VirtualRegister> values) const {
    std::uint32_t width = 0;
    for (const VirtualRegister v : values)
      width += widths_[v];
    return std::bit_ceil(width);
  }

  // In positions where they must find their places free: from their operations' reads on, but for loads.
  void note_ranges(std::span<const VirtualRegister> values) {
    wanted_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      wanted_[i].assign(ranges_.of(values[i]).begin(), ranges_.of(values[i]).end());
      if (wanted_[i].empty())
        continue;
      std::uint32_t& begin = wanted_[i].front().begin;
      begin -= begin % 2 != 0 && draft_.ops[begin / 2].op.kind != OpKind::memory ? 1 : 0;
    }
  }

  // The upper part of an operand that the operation is the last to read; no_id if there is none so wide.
  std::uint32_t place_in_address(const DraftOp& load, std::uint32_t width) const {
    for (const VirtualRegister s : draft_.reads(load))
      if (bases_[s] != no_id && widths_[s] >= width &&
          is_free(bases_[s] + widths_[s] - width, width, wanted_.front()))
        return bases_[s] + widths_[s] - width;
    return no_id;
  }

  bool are_free(std::span<const VirtualRegister> values, std::uint32_t base) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_free(base, widths_[values[i]], wanted_[i]))
        return false;
      base += widths_[values[i]];
    }
    return true;
  }

  bool is_free(std::uint32_t base, std::uint32_t width, std::span<const Segment> range) const {
    for (std::uint32_t i = base; i < std::min<std::size_t>(base + width, physical_.size()); ++i)
      if (!fits(physical_[i], range))
        return false;
    return true;
  }

  static bool fits(std::span<const Segment> taken, std::span<const Segment> range) {
    if (range.empty())
      return true;
    const auto is_over = [now = range.front().begin](const Segment& s) { return s.end <= now; };
    const auto first = std::ranges::find_if_not(taken, is_over);
    return !overlap(range, std::span(first, taken.end()));
  }

  static void reserve(std::vector<Segment>& taken, std::span<const Segment> range, std::uint32_t now) {
    // What is over before the operation ahead of this one is asked for no more.
    const auto is_over = [&](const Segment& s) { return s.end < UINT32_MAX - 2 && s.end + 2 <= now; };
    taken.erase(taken.begin(), std::ranges::find_if_not(taken, is_over));
    const auto old = static_cast<std::ptrdiff_t>(taken.size());
    taken.insert(taken.end(), range.begin(), range.end());
    std::ranges::inplace_merge(taken, taken.begin() + old, {}, &Segment::begin);
  }

  const Draft& draft_;
  const LiveRanges& ranges_;
  std::span<const std::uint8_t> widths_;
  RegisterTuples tuples_;
  std::vector<std::uint32_t> bases_;           // by virtual register: the first one it has
  std::vector<std::vector<Segment>> wanted_;   // of the values at hand
  std::vector<std::vector<Segment>> physical_; // by register: when it is taken
};

} // namespace

std::uint32_t allocate_registers(const Draft& draft, const LiveRanges& ranges,
                                 std::span<const std::uint8_t> widths, std::uint32_t most) {
  return Allocator(draft, ranges, widths).run(most);
}

} // namespace kerncast::machine
