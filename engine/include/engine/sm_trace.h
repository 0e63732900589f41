// What happens on one SM, instruction by instruction: the execution profile of 003, Figs. 8 and 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// A warp in one state. Slices of a warp do not overlap. Several CTAs, one after the other, have the same
// warp.
struct WarpSlice {
  double begin = 0; // cycles
  double end = 0;
  std::uint32_t warp = 0; // of the SM: CTA slot x warps per CTA + warp of the CTA
  std::uint32_t op = 0;   // of the program: that issues, or that is waited with
  WarpState state = WarpState::issued;
};

// A pipeline held by an instruction. Slices of a pipeline do not overlap.
struct UnitSlice {
  double begin = 0;
  double end = 0;
  std::uint32_t unit = 0;
  std::uint32_t sub_core = 0; // 0 for units of the SM
  std::uint32_t pipeline = 0;
  std::uint32_t warp = 0;
  std::uint32_t op = 0;
};

struct SmTrace {
  std::vector<WarpSlice> warps; // both in the order of issue
  std::vector<UnitSlice> units;
  bool cut = false; // there was more than `max_slices`
  double until = 0; // cycles that the trace covers
};

// Simulates until the end or until more than `max_slices` slices were recorded.
SmTrace trace_sm(const SmWorkload& workload, std::size_t max_slices);

} // namespace kerncast::engine
