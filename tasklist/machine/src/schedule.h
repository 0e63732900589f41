// Orders the operations of each block as ptxas would: loads early, so that their latency is hidden.
//
// Each straight piece by itself (list_scheduler.h). Nothing moves across fences, branches, exits, ordered
// accesses, loops that are atomic operations, and operations with effects that we do not know. No access
// moves across a write that may be to the same memory, nor, if other warps may see it, across a barrier of
// the CTA or the warp, but loads of what nobody writes: ptxas 13.0 loads through .nc, and computes, on either
// side of a barrier. Volatile accesses and readings of clocks count as barriers. An operation that would take
// more registers than let half of the SM's threads be resident, or than the text's order takes if that is
// more, waits for one that takes fewer. Register moves take the pipe that is free, MOV or IMAD.MOV, where the
// ISA table has a row for the latter. Left out: motion between blocks, unrolling.
#pragma once

#include "configs/gpu.h"
#include "draft.h"
#include "live_ranges.h"
#include "selection.h"

namespace kerncast::machine {

// `ranges` are those of the draft in the text's order. Returns where each operation stood before.
std::vector<std::uint32_t> schedule(Draft& draft, const Selection& selection, const configs::Gpu& gpu,
                                    const LiveRanges& ranges);

} // namespace kerncast::machine
