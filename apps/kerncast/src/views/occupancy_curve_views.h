// The occupancy curves of a kernel: all points as JSON, some of them as a table with what is read off them.
//
//   model       warps per 1000 cycles and SM at 1     8    16    32    64  ridge  90 %  bound
//   pipeline                                     -  1.02  2.01  2.33  2.40     64    32  dram_bandwidth
#pragma once

#include <string>

#include "json_text.h"
#include "predict/result.h"

namespace kerncast::app {

Json curves_json(const OccupancyCurves& curves);
std::string curves_text(const std::string& kernel, const OccupancyCurves& curves);

} // namespace kerncast::app
