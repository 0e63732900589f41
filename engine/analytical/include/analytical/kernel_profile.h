// A kernel as the closed-form models see it: sums over the instructions of one warp on one SM.
//
// Lemeire et al. (paper 003, Table 2): alpha is the number of instructions, lambda the cycles that one of
// them holds its subsystem, Lambda its latency. "Memory" are the accesses that leave the SM (global, local,
// texture); shared memory and the constant cache count as computation, as Hong and Kim count them. Left out:
// the order of the instructions, except for what the latencies of paths and the intervals say of it.
#pragma once

#include <string>
#include <vector>

namespace kerncast::analytical {

// A subsystem of the SM: a kind of execution unit, or a path to memory.
struct SubsystemLoad {
  std::string name;                  // a unit of the GPU file, or "l2_bandwidth", "dram_bandwidth"
  double instructions = 0;           // alpha
  double cycles_per_warp = 0;        // sum of lambda: cycles that one warp keeps all pipelines of the SM busy
  double memory_cycles_per_warp = 0; // the part of it that accesses to memory cause
};

// Computations that issue one after the other, then a wait for memory (GPUMech's interval).
struct Interval {
  double instructions = 0; // computations
  double stall_cycles = 0;
  double times = 1;
};

// How the latency of DRAM grows with its traffic: a + b x / (c - x) cycles at x = 1e9 bytes/s of the device
// (001, section 6.4). c = 0: not known.
struct LoadedMemory {
  double a = 0;
  double b = 0;
  double c = 0;
  double unloaded_latency = 0;   // cycles that the profile's latencies contain for one such access
  double accesses = 0;           // latencies of DRAM that one warp waits for, one after the other
  double gbps_per_warp_rate = 0; // x at one warp per cycle and SM
};

struct KernelProfile {
  std::vector<SubsystemLoad> subsystems;
  double instructions = 0;          // of one warp
  double issue_limit = 0;           // instructions per cycle and SM; 0: unlimited
  double critical_path_latency = 0; // Lambda_app: cycles of one warp alone on the SM
  double compute_instructions = 0;  // alpha_comp
  double memory_instructions = 0;   // alpha_mem
  double barriers = 0;              // alpha_sync
  double compute_latency = 0;       // sum of Lambda over the computations
  double memory_latency = 0;        // sum of Lambda over the accesses to memory, stores as loads
  double compute_path_latency = 0;  // critical path if memory answered at once
  std::vector<Interval> intervals = {};
  LoadedMemory loaded_memory = {};
};

// Throughput of a model, and what bounds it.
struct WarpRate {
  double warps_per_cycle = 0; // WPC
  std::string bound;          // a subsystem's name, "issue" or "latency"
};

} // namespace kerncast::analytical
