// What keeps a kernel from being faster.
#pragma once

#include <string>
#include <vector>

#include "engine/kernel.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

struct Bound {
  std::string name; // a value of the key `bound` of kerncast-prediction/1
  std::string because;
  std::vector<Utilisation> utilisations; // most used first
};

// How busy an SM keeps its shares of the bandwidths of L2 and DRAM, from 0 to 1.
double use_of_bandwidth(const SmResult& sm, const SmConfig& config);

// The most utilised resource if it is nearly saturated, else what the warps wait for.
Bound find_bound(const SmResult& slowest_sm, const SmGroup& of_slowest, const configs::Gpu& gpu);

} // namespace kerncast::engine
