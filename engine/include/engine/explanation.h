// Where a kernel's cycles go: by state, by line, by resource, over time; and what would make it faster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// Where an operation of an SmProgram comes from.
struct OpSource {
  std::uint32_t line = 0;        // of the PTX (or tasklist) text; 0: unknown
  std::uint32_t source_line = 0; // of the user's source (.loc); 0: unknown
  std::string operation;         // the PTX operation, "ld.global.f32"
};

// Warp-cycles of all warps of the device that are charged to one line. Over all lines the charges add up to
// the kernel's warp_state_cycles, exactly as long as those stay below 2^38 (sums of multiples of 2^-15).
struct LineCharge {
  std::uint32_t line = 0;
  std::string operations; // PTX lines: what stands there
  double issued = 0;      // warp instructions
  StateCycles state_cycles{};
};

// How much of the time something of the slowest SM is busy.
struct Utilisation {
  std::string resource; // as the values of `bound`
  double fraction = 0;
};

// A changed description and what it would do.
struct WhatIf {
  std::string change; // "dram.latency / 2"
  double cycles = 0;
  double gain = 0; // share of the cycles that it saves
};

struct Explanation {
  StateCycles state_cycles{};            // all lines
  std::vector<LineCharge> ptx_lines;     // ascending
  std::vector<LineCharge> source_lines;  // ascending
  std::vector<Utilisation> utilisations; // most used first
  std::string because;                   // why `bound` is what it is
  double achieved_warps_per_sm = 0;      // mean over the slowest SM's cycles
  double occupancy_bin_cycles = 0;       // of the curve below
  std::vector<double> warps_over_time;   // mean resident warps per bin, of the slowest SM's simulated CTAs
  std::vector<WhatIf> what_if;           // if asked for, largest gain first
};

} // namespace kerncast::engine
