// Where a kernel's cycles go, to read:
//
//   dynproc_kernel: bound by latency
//     nothing is saturated (issue is busy 62.1 % of the time); warps wait longest for ...
//     achieved occupancy 58.3 warps per SM
//     busy: issue 62.1 %, unit:alu 48.0 %
//     share  warp-cycles  state
//    40.2 %       123456  long_scoreboard
//    line  share  warp instructions  most of it       operations
//      45  31.0 %             9260  long_scoreboard  ld.global.u32
//     gain  what if
//   12.3 %  dram.latency / 2
#pragma once

#include <string>

#include "predict/result.h"

namespace kerncast::app {

// Empty if the row has no explanation.
std::string explanation_text(const KernelRow& row);

} // namespace kerncast::app
