// What a kernel would gain if one thing about the GPU were twice as good.
#pragma once

#include <string>
#include <vector>

#include "engine/kernel.h"

namespace kerncast::engine {

struct RelaxedPlan {
  std::string change; // "dram.latency / 2"
  KernelPlan plan;
};

// The launch on the GPU with each unit's latency and issue interval, each memory latency and launch latency
// halved, and each bandwidth, the issue rate and what limits the occupancy doubled, one at a time. Changes
// that leave every workload of `plan` as it is are left out.
std::vector<RelaxedPlan> relax(const KernelInput& input, const KernelPlan& plan);

} // namespace kerncast::engine
