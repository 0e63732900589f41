// Where each virtual register is read and written, in the order of the code.
#pragma once

#include <span>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

inline std::uint32_t read_position(std::uint32_t op) { return 2 * op; }
inline std::uint32_t write_position(std::uint32_t op) { return 2 * op + 1; }

// Half-open interval of positions.
struct Segment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

struct Occurrence {
  std::uint32_t position = 0;
  tasklist::BlockId block = 0;
  bool keeps = false;   // a guarded write: the old value may remain
  bool dropped = false; // a read of nothing
  bool is_write() const { return position % 2 != 0; }
  bool ends_old_value() const { return is_write() && !keeps; }
};

class OccurrenceTable {
public:
  // Of the registers for which `wanted` is true; of all if it is empty.
  explicit OccurrenceTable(const Draft& draft, std::span<const std::uint8_t> wanted = {});
  // Of a wanted one: whether one block alone has the register, and writes it once, unguarded, before it reads
  // it.
  bool is_simple(VirtualRegister r) const { return simple_[r].begin != no_range && simple_[r].begin != 0; }
  // Where a simple register holds its value.
  Segment range_of_simple(VirtualRegister r) const { return simple_[r]; }
  // None of simple registers.
  std::span<Occurrence> of(VirtualRegister r) {
    return std::span(occurrences_).subspan(first_[r], first_[r + 1] - first_[r]);
  }
  VirtualRegister register_count() const { return static_cast<VirtualRegister>(first_.size()) - 1; }

private:
  static constexpr std::uint32_t no_range = tasklist::no_id;

  void read_once(const Draft& draft);
  void note_read(VirtualRegister r, std::uint32_t block_begin, std::uint32_t position);
  void note_write(VirtualRegister r, std::uint32_t position, bool guarded);
  void list(const Draft& draft, std::span<const std::uint8_t> is_listed);

  // By register; begins at 0 if it does not occur, at no_range if it is not simple.
  std::vector<Segment> simple_;
  std::vector<std::uint32_t> first_; // by register, one more at the end
  std::vector<Occurrence> occurrences_;
};

// Whether a register is written before it is read and never leaves its block.
inline bool is_local(std::span<const Occurrence> occurrences) {
  return occurrences.empty() ||
         (occurrences.front().block == occurrences.back().block && occurrences.front().ends_old_value());
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

} // namespace kerncast::machine
