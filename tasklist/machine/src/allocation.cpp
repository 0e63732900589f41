#include "allocation.h"

#include <algorithm>
#include <bit>

#include "odd_registers.h"
#include "operand_releases.h"
#include "register_tuples.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;

constexpr std::uint32_t never = UINT32_MAX - 2; // positions end before
constexpr std::uint32_t stack_pointer = 1;
constexpr std::uint32_t widest = 4; // an address of four registers is the coarsest alignment

// Positions at which a register is taken.
struct Taken {
  Segment segment;
  std::uint32_t released = 0; // from where on others may write it without waiting
};

class Allocator {
public:
  Allocator(const Draft& draft, const LiveRanges& ranges, std::span<const std::uint8_t> widths,
            std::uint32_t most)
      : draft_(draft), ranges_(ranges), widths_(widths), most_(most),
        tuples_(find_register_tuples(draft, widths)), releases_(operand_releases(draft)),
        is_odd_(find_odd_registers(draft, widths)), bases_(draft.register_count(), no_id) {}

  std::uint32_t run() {
    physical_.resize(stack_pointer + 1);
    physical_[stack_pointer].push_back({{0, never}, never});
    for (const VirtualRegister r : by_first_position(ranges_)) {
      if (widths_[r] != 0 && bases_[r] == no_id)
        place(r);
      if (physical_.size() > most_)
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
      base = free_place(values);
    for (const VirtualRegister v : values) {
      bases_[v] = base;
      physical_.resize(std::max<std::size_t>(physical_.size(), base + widths_[v]));
      note_releases(ranges_.of(v));
      for (std::uint32_t i = base; i < base + widths_[v]; ++i)
        reserve(physical_[i], begin);
      base += widths_[v];
    }
  }

  // Where registers are in short supply, the lowest, odd or even.
  std::uint32_t free_place(std::span<const VirtualRegister> values) const {
    std::uint32_t width = 0;
    for (const VirtualRegister v : values)
      width += widths_[v];
    const std::uint32_t step = std::min(std::bit_ceil(width), widest);
    std::uint32_t base = lies_odd(values) ? released_place(values, width, 1, 2) : no_id;
    if (base == no_id)
      base = released_place(values, width, 0, step);
    if (base == no_id)
      for (base = 0; !are_free(values, base);)
        base += step;
    return base;
  }

  // The lowest for which nothing waits; no_id if there is none within the registers there are.
  std::uint32_t released_place(std::span<const VirtualRegister> values, std::uint32_t width,
                               std::uint32_t first, std::uint32_t step) const {
    for (std::uint32_t base = first; base + width <= most_; base += step)
      if (are_free(values, base, &Taken::released))
        return base;
    return no_id;
  }

  bool lies_odd(std::span<const VirtualRegister> values) const {
    return values.size() == 1 && is_odd_[values.front()];
  }

  // In positions where they must find their places free: from their operations' reads on, but for loads and
  // for what accesses want in a certain place.
  void note_ranges(std::span<const VirtualRegister> values) {
    wanted_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      wanted_[i].assign(ranges_.of(values[i]).begin(), ranges_.of(values[i]).end());
      if (wanted_[i].empty() || values.size() > 1 || lies_odd(values))
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

  bool are_free(std::span<const VirtualRegister> values, std::uint32_t base,
                std::uint32_t Taken::*until = nullptr) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_free(base, widths_[values[i]], wanted_[i], until))
        return false;
      base += widths_[values[i]];
    }
    return true;
  }

  bool is_free(std::uint32_t base, std::uint32_t width, std::span<const Segment> range,
               std::uint32_t Taken::*until = nullptr) const {
    for (std::uint32_t i = base; i < std::min<std::size_t>(base + width, physical_.size()); ++i)
      for (const Taken& taken : physical_[i])
        if (overlaps(range, {taken.segment.begin, until != nullptr ? taken.*until : taken.segment.end}))
          return false;
    return true;
  }

  static bool overlaps(std::span<const Segment> range, Segment segment) {
    const auto first = std::ranges::find_if(range, [&](const Segment& s) { return s.end > segment.begin; });
    return first != range.end() && first->begin < segment.end;
  }

  // The value's segments, into noted_.
  void note_releases(std::span<const Segment> range) {
    noted_.clear();
    for (const Segment& s : range) {
      const std::uint32_t last = s.end == 0 ? 0 : s.end - 1;
      const bool is_read = last % 2 == 0 && last / 2 < draft_.ops.size();
      noted_.push_back({s, is_read ? std::max(s.end, read_position(releases_[last / 2])) : s.end});
    }
  }

  void reserve(std::vector<Taken>& taken, std::uint32_t now) const {
    // What is over before the operation ahead of this one is asked for no more.
    std::erase_if(taken, [&](const Taken& t) { return t.released + 2 <= now; });
    taken.insert(taken.end(), noted_.begin(), noted_.end());
  }

  const Draft& draft_;
  const LiveRanges& ranges_;
  std::span<const std::uint8_t> widths_;
  std::uint32_t most_;
  RegisterTuples tuples_;
  std::vector<std::uint32_t> releases_;      // by operation
  std::vector<bool> is_odd_;                 // by virtual register
  std::vector<std::uint32_t> bases_;         // by virtual register: the first one it has
  std::vector<std::vector<Segment>> wanted_; // of the values at hand
  std::vector<Taken> noted_;                 // of the value at hand
  std::vector<std::vector<Taken>> physical_; // by register
};

} // namespace

std::uint32_t allocate_registers(const Draft& draft, const LiveRanges& ranges,
                                 std::span<const std::uint8_t> widths, std::uint32_t most) {
  return Allocator(draft, ranges, widths, most).run();
}

} // namespace kerncast::machine
