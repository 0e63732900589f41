// Floating-point peaks: from the units and the clock, checked against what is published.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// A peak that is stated must be the units' at one of the GPU's clocks. One that is not stated, or in a
// farther file than what it follows from, becomes the units' at clock_mhz. Needs the ISA table.
void check_peaks(Gpu& gpu, const Statements& statements, Diagnostics& errors);

} // namespace kerncast::configs
