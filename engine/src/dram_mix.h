// How much of what a launch moves to and from DRAM it writes.
#pragma once

#include <span>

#include "engine/sm_workload.h"
#include "spread.h"

namespace kerncast::engine {

// Written bytes / all bytes of DRAM, 0 to 1, over all CTAs; 0 if there are none. Hits and misses count by
// their shares. `kinds`: the warps of a CTA of each of `grid`'s kinds.
double written_share(const SmProgram& program, std::span<const CtaKind> kinds,
                     std::span<const GridKind> grid);

// By how much DRAM is slower than for streams in one direction: turning the bus round costs time, most where
// half of the bytes are written. `loss`: Dram::mixed_loss. The parabola between the ends is a guess; measured
// triads, which write a quarter, lie up to 3 % from it (tests/data/measured/streams.csv).
double slowdown_of_mix(double written, double loss);

} // namespace kerncast::engine
