// A kernel as the closed-form models see it: sums over the instructions of one warp on one SM.
//
// Lemeire et al. (paper 003, Table 2): alpha is the number of instructions, lambda the cycles that one of
// them holds its subsystem, Lambda its latency. Left out: the order of the instructions, except for what
// critical_path_latency says of it.
#pragma once

#include <string>
#include <vector>

namespace kerncast::analytical {

// A subsystem of the SM: a kind of execution unit, or a path to memory.
struct SubsystemLoad {
  std::string name;           // a unit of the GPU file, or "l2_bandwidth", "dram_bandwidth"
  double instructions = 0;    // alpha
  double cycles_per_warp = 0; // sum of lambda: cycles that one warp keeps all pipelines of the SM busy
};

struct KernelProfile {
  std::vector<SubsystemLoad> subsystems;
  double instructions = 0;          // of one warp
  double issue_limit = 0;           // instructions per cycle and SM; 0: unlimited
  double critical_path_latency = 0; // Lambda_app: cycles of one warp alone on the SM
};

// Throughput of a model, and what bounds it.
struct WarpRate {
  double warps_per_cycle = 0; // WPC
  std::string bound;          // a subsystem's name, "issue" or "latency"
};

} // namespace kerncast::analytical
