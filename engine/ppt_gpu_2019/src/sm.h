// One SM running the blocks it holds at once.
#pragma once

#include <cstdint>
#include <vector>

#include "program.h"

namespace kerncast::ppt_gpu_2019 {

struct SmRun {
  double cycles = 0;
  std::vector<double> block_end_computations;
  std::vector<double> block_actual_end;
  std::uint64_t issue_events = 0;
};

SmRun run_sm(const Program& program, const Hardware& hardware, std::uint32_t blocks,
             std::uint32_t warps_per_block);

} // namespace kerncast::ppt_gpu_2019
