// Reads a ppt_lanl file: one kernel for the PPT-GPU tool of 2019, and what the published tool answered.
//
//   {"tasklist": [["iALU", 9, 0], ["GLOB_MEM_ACCESS", "LOAD", 1], ...],
//    "launch": {"grid": 2, "block": 512, "regs": 12, "smem": 0, "phit_l2": 0.8}, "hw": {...}, ...}
//
// Dependencies count from 0 and follow the second element of an item.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ppt_gpu_2019/input.h"
#include "support/diagnostics.h"

namespace kerncast::ppt_gpu_2019 {

// What the published tool printed for the input, and what it took.
struct Recording {
  double amat = 0;
  double cycles = 0;
  std::uint64_t blocks_per_sm = 0;
  std::uint64_t warps_per_block = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t warp_issue_events = 0;
  std::uint64_t n_workloads = 0;
  std::vector<double> block_end_computations;
  std::vector<double> block_actual_end;
  std::optional<double> python27_cpu_s; // of the published tool under CPython 2.7
};

struct LanlFile {
  Input input;
  std::optional<Recording> recording; // "predicted", where the file has it
};

// True for a text that is a JSON object with "tasklist" and "hw", whether or not the rest is right.
bool is_lanl_file(std::string_view text);

// Every error of the file, each with its place.
Expected<LanlFile> read_lanl_file(const SourceText& source);

} // namespace kerncast::ppt_gpu_2019
