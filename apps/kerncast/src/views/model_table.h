// Predictions of several models side by side: one line per kernel and model.
//
//   kernel   model     time       / pipeline  IPC/SM  bound
//   hotspot  pipeline  39.01 us        1.00    2.10   dram_bandwidth
#pragma once

#include <string>
#include <vector>

#include "predict/result.h"

namespace kerncast::app {

// GPU by GPU; a GPU's predictions have the same kernels, the first one's times are those compared with.
std::string model_table(const std::vector<Prediction>& predictions);

} // namespace kerncast::app
