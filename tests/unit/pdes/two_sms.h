// A GPU so small that its times can be worked out.
#pragma once

#include <utility>
#include <vector>

#include "pdes/gpu.h"
#include "small_workload.h"

namespace kerncast::pdes {

// Two SMs and one slice, each ten cycles away, which takes 8 cycles for 128 bytes.
inline GpuWorkload two_sms(engine::SmWorkload sm, std::vector<engine::CtaRun> ctas) {
  GpuWorkload gpu{.surroundings = {.sms = 2,
                                   .one_way = engine::begin_of(10),
                                   .lookahead = engine::begin_of(10),
                                   .l2_bytes_per_clock = 16},
                  .sm = std::move(sm)};
  gpu.sm.ctas = std::move(ctas);
  return gpu;
}

} // namespace kerncast::pdes
