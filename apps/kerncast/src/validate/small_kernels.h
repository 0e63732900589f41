// Kernels of a few operations on one scheduler, as papers describe them: simulated without PTX or a GPU file.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::app {

struct SmallOp {
  std::uint16_t unit = 0;
  double issue_interval = 1;
  double latency = 1;
  std::vector<std::uint16_t> after; // indices of the operations that it waits for
};

// One sub-core whose units belong to the SM; CTAs start at once.
struct SmallSm {
  std::uint32_t issue_width = 1;
  std::size_t units = 1;
  configs::SchedulerPolicy scheduler = configs::SchedulerPolicy::oldest;
};

// Warps that each run the operations `repeats` times, in CTAs of one warp, `resident` at a time. With
// `chained` the first operation of a repeat waits for the last one of the repeat before.
struct SmallRun {
  std::vector<SmallOp> ops;
  std::uint64_t repeats = 1;
  std::uint32_t resident = 1;
  std::uint64_t warps = 1;
  bool chained = false;
};

double simulated_cycles(const SmallSm& sm, const SmallRun& run);

} // namespace kerncast::app
