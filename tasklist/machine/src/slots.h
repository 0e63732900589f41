// Scoreboard slots for virtual registers.
#pragma once

#include "draft.h"
#include "live_ranges.h"

namespace kerncast::machine {

struct SlotAssignment {
  std::vector<std::uint32_t> slots; // by virtual register; no_id if it is never read or written
  std::uint32_t slot_count = 0;
};

// Registers needed at the same position get different slots. First fit in the order of first positions, into
// slots that are free at least as long as the register is needed (Poletto and Sarkar's linear scan, with
// holes): few slots, the low ones busiest, so that the engine's state stays small.
SlotAssignment assign_slots(const LiveRanges& ranges);

} // namespace kerncast::machine
