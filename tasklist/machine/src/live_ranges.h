// Where each virtual register holds a value that may still be read.
//
// Operation i of the draft reads at position 2 i and writes at 2 i + 1. Blocks lie in their order, so a
// value that lives around a loop lives at every position of its blocks.
#pragma once

#include <span>
#include <vector>

#include "draft.h"
#include "live_blocks.h"

namespace kerncast::machine {

struct LiveRanges {
  std::vector<std::uint32_t> first; // by register, one more at the end
  std::vector<Segment> segments;    // ascending and apart, per register

  VirtualRegister register_count() const { return static_cast<VirtualRegister>(first.size()) - 1; }
  std::span<const Segment> of(VirtualRegister r) const {
    return std::span(segments).subspan(first[r], first[r + 1] - first[r]);
  }
};

// `blocks` are the draft's as of find_live_blocks; since then operations may have moved within their blocks.
LiveRanges find_live_ranges(const Draft& draft, const tasklist::ControlFlow& flow, const LiveBlocks& blocks,
                            OccurrenceTable& table);

// Whether an ascending range holds the position.
bool covers(std::span<const Segment> range, std::uint32_t position);

// The registers that hold anything, by the first position at which they do.
std::vector<VirtualRegister> by_first_position(const LiveRanges& ranges);

} // namespace kerncast::machine
