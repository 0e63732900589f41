// The PPT-GPU tool of 2019, cycle for cycle: the blocks that one SM holds at once, run once.
//
// Every decision of the published tool is kept, its oddities too: a warp that finds an operand missing
// looks again only in the first cycle after the operand is there; the memory queue, once its oldest access
// is done, is emptied as a whole; resources other than the memory queue are busy for one cycle only.
// Only the total time is ours: the tool divides later waves by the clock twice.
#pragma once

#include <cstdint>
#include <vector>

#include "ppt_gpu_2019/input.h"
#include "support/diagnostics.h"

namespace kerncast::ppt_gpu_2019 {

struct Result {
  std::uint64_t blocks_per_sm = 0;
  std::uint64_t warps_per_block = 0;
  double amat = 0;                            // average access time of global loads and stores, in cycles
  double cycles = 0;                          // of one workload: the blocks an SM holds at once
  std::vector<double> block_end_computations; // cycle at which each block was found without active warps
  std::vector<double> block_actual_end;       // when its warps' results are there
  std::uint64_t warp_instructions = 0;        // of one workload
  std::uint64_t warp_issue_events = 0;        // cycles x warps in which a warp issued one or two items
  std::uint64_t n_workloads = 0;              // the grid in portions of blocks_per_sm
  std::uint64_t waves = 0;                    // workloads that one SM runs after each other
  double kernel_time_s = 0;                   // waves x cycles / clock
  double total_time_s = 0;                    // with the launch overhead
};

// Fails when not even one block fits on an SM.
Expected<Result> predict(const Input& input);

// p L2 + (1 - p) (L2 + (global - L2)), in the tool's order of operations.
double average_memory_access_time(const Hardware& hardware, double l2_hit);

} // namespace kerncast::ppt_gpu_2019
