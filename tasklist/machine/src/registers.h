// Registers per thread from register pressure.
#pragma once

#include <string>
#include <vector>

#include "configs/gpu.h"
#include "draft.h"
#include "live_ranges.h"

namespace kerncast::machine {

struct RegisterEstimate {
  std::uint32_t registers = 0;
  std::vector<std::string> assumptions;
};

// The most 32-bit registers that hold needed values at one position, plus what the compiler needs beside
// them, at most what the kernel's own limits (.maxnreg, .maxntid with .minnctapersm) and the GPU allow.
RegisterEstimate estimate_registers(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                    const Draft& draft, const LiveRanges& ranges);

} // namespace kerncast::machine
