// What a sweep keeps of one application on one GPU at one point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "configs/loader.h"
#include "sweep/fingerprint.h"

namespace kerncast::sweep {

// Means over the launches of one kernel, as in a prediction.
struct KernelResult {
  std::string kernel;
  double launches = 0;
  double time_us = 0;
  double cycles = 0;
  double warp_instructions = 0;
  double ipc_per_sm = 0;
  double ctas_per_sm = 0;
  double warps_per_sm = 0;
  double occupancy = 0;
  double registers = 0;
  double l1_hit = 0;
  double l2_hit = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
  std::string limiter;
  std::string bound;
};

struct ResultRow {
  std::string app;
  std::string gpu;
  std::string point;                      // as text_of gives it
  std::vector<configs::Setting> settings; // of the point
  double total_time_us = 0;
  double gpu_busy_us = 0;
  std::string error; // why there is no prediction; empty: there is one
  std::string gpu_hash;
  std::string assumptions; // one a line, each once
  std::vector<KernelResult> kernels;
};

// What tells a row from all others of a sweep.
Fingerprint key_of(std::string_view app, std::string_view gpu, std::string_view point);

// Rows as bytes, for other processes. Assumptions that are those of the row before take few of them.
std::string encode(std::span<const ResultRow> rows);
// The bytes must come from `encode`.
std::vector<ResultRow> decode(std::string_view bytes);

} // namespace kerncast::sweep
