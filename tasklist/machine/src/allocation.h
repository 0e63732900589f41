// Which physical registers a compiler would give the values of a kernel that has registers to spare (code of
// ptxas 13.0): results do not take the place of operands that are read for the last time, except that a
// loaded value takes the upper part of its address, and what lies in an odd register (odd_registers.h) or in
// a tuple the place of such an operand, nor, if others are free, of what accesses may still have to read
// (operand_releases.h); wide values and tuples lie at multiples of their width. So a pair that held an
// address stays half empty behind its load. Where registers are short, ptxas packs them tighter.
#pragma once

#include <cstdint>
#include <span>

#include "draft.h"
#include "live_ranges.h"

namespace kerncast::machine {

// How many registers are in use from register 0 on, the stack pointer's included, when each value gets the
// lowest free ones in the order of first positions (linear scan with holes: Poletto and Sarkar, 1999). Stops
// above `most`. `widths` are those of value_widths().
std::uint32_t allocate_registers(const Draft& draft, const LiveRanges& ranges,
                                 std::span<const std::uint8_t> widths, std::uint32_t most);

} // namespace kerncast::machine
