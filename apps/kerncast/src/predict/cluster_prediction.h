// What was predicted of an application of several ranks, ready for a view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "configs/cluster.h"
#include "ranks/ranks.h"

namespace kerncast::app {

// All ranks of an application on a cluster.
struct ClusterPrediction {
  configs::Cluster cluster; // links have numbers
  ranks::RanksResult result;
  ranks::CriticalPath path;
  // For a timeline:
  std::vector<std::string> launch_names; // by distinct launch: of its kernel
  std::vector<std::uint32_t> lines;      // of the file, by position in the program
};

} // namespace kerncast::app
