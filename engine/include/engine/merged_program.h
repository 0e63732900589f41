// The programs of several kernels as one, for an SM that holds CTAs of all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// Where a kernel begins in what the kernels have together.
struct MergedKernel {
  std::uint32_t first_kind = 0;    // in SmWorkload::kinds
  std::uint32_t first_op = 0;      // in SmProgram::ops
  std::uint32_t first_request = 0; // in SmProgram::requests
};

struct MergedWorkload {
  // All programs and kinds of CTAs, one kernel behind the other; the config is that of the first, but for
  // what one of the kernels needs: fetches of instructions, DRAM's longest queueing. CTAs are left out.
  SmWorkload sm;
  std::vector<MergedKernel> kernels;
};

// Of workloads of one GPU; at least one.
MergedWorkload merge(std::span<const SmWorkload* const> kernels);

} // namespace kerncast::engine
