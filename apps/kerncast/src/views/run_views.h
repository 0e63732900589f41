// What kerncast run says.
//
//   vector_add: 1 launch, 40,960 warp instructions, 1,310,720 lane instructions
//     loop at line 31 ($L__BB0_2): entered 256 times by warps, 64.0 iterations each
//   buffer  bytes  checksum          first values
//   1        4096  0123456789abcdef  0 1 2 3
#pragma once

#include "run/run.h"
#include "views/json_text.h"

namespace kerncast::app {

std::string run_text(const RunReport& report);
Json run_json(const RunReport& report);

} // namespace kerncast::app
