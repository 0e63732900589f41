// Where each virtual register holds a value that may still be read.
//
// Operation i of the draft reads at position 2 i and writes at 2 i + 1. Blocks lie in their order, so a
// value that lives around a loop lives at every position of its blocks. Registers of one block
// are found in one walk through it, the others 64 at a time by a work list over the blocks (live_blocks.h).
#pragma once

#include <span>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

// Half-open interval of positions.
struct Segment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

struct LiveRanges {
  std::vector<std::uint32_t> first; // by register, one more at the end
  std::vector<Segment> segments;    // ascending and apart, per register

  std::span<const Segment> of(VirtualRegister r) const {
    return std::span(segments).subspan(first[r], first[r + 1] - first[r]);
  }
};

inline std::uint32_t read_position(std::uint32_t op) { return 2 * op; }
inline std::uint32_t write_position(std::uint32_t op) { return 2 * op + 1; }

// Reads that no write can reach are taken out of the draft: they would only make the old contents of a
// reused slot seem needed. (A guarded first write reads "its old result" in emit().)
LiveRanges find_live_ranges(Draft& draft, std::span<const tasklist::Block> blocks);

} // namespace kerncast::machine
