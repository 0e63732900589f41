// How many registers hold values while the operations of one straight piece are put in order.
#pragma once

#include <span>
#include <vector>

#include "draft.h"
#include "live_ranges.h"

namespace kerncast::machine {

// The widest result of an operation, in 32-bit registers.
inline constexpr std::int32_t most_results = 4;

class PiecePressure {
public:
  // `ranges` are those of the draft in the text's order.
  PiecePressure(const Draft& draft, const LiveRanges& ranges);

  void start(std::uint32_t begin, std::uint32_t end);
  // 32-bit registers more (less) in use once operation `op` of the piece is placed.
  std::int32_t change(std::uint32_t op) const;
  // Of `change`, what goes beyond so many registers in use.
  std::int32_t excess(std::uint32_t op, std::int32_t target) const {
    if (in_use_ + most_taken_[op] <= target)
      return 0;
    const std::int32_t more = change(op);
    return more > 0 && in_use_ + more > target ? more : 0;
  }
  void place(std::uint32_t op);
  std::int32_t in_use() const { return in_use_; }
  // Of the piece in the text's order.
  std::int32_t peak_of_text() const;

private:
  struct State {
    std::uint32_t piece = 0; // the piece that the rest is of
    std::uint32_t reads = 0; // not yet placed; what is needed behind the piece is one more
    bool holds_value = false;
    std::uint8_t width = 0;
  };

  State& current(VirtualRegister r);

  const Draft& draft_;
  const LiveRanges& ranges_;
  std::vector<State> states_;            // by register
  std::vector<std::int32_t> at_start_;   // by operation: registers in use in front of it
  std::vector<std::int32_t> most_taken_; // by operation of the piece: what `change` is at most
  std::uint32_t piece_ = 0, begin_ = 0, end_ = 0;
  std::int32_t in_use_ = 0;
};

} // namespace kerncast::machine
