// The execution profile of one SM with the names that a view needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "engine/sm_trace.h"

namespace kerncast::app {

struct SmTimeline {
  std::string gpu;
  std::string kernel;
  std::vector<engine::OpSource> ops; // per operation of the program
  std::vector<std::string> units;    // names
  std::vector<bool> unit_of_sm;      // per unit: shared by the sub-cores
  std::vector<std::uint32_t> unit_pipelines;
  std::uint32_t warps_per_cta = 1;
  std::uint32_t sub_cores = 1;
  std::uint64_t ctas = 0; // of the SM, in all
  engine::SmTrace trace;
};

// Slices recorded at most: some 15 MB of JSON.
inline constexpr std::size_t max_timeline_slices = 100'000;

// Of an SM that gets most CTAs of the launch.
SmTimeline record_timeline(const engine::KernelPlan& plan, const configs::Gpu& gpu);

} // namespace kerncast::app
