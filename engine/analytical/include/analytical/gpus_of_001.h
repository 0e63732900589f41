// The GPUs of Volkov's dissertation (001) and its workload cadd: one load, then alpha dependent additions.
#pragma once

#include <map>
#include <string>

#include "analytical/two_subsystems.h"

namespace kerncast::analytical::thesis {

struct Gpu {
  double sms, clock_ghz;    // Tables 2.6, 2.7
  double mem_lat, mem_thru; // Table 4.1: cycles; warp instructions per cycle and SM
  double alu_lat, alu_thru, issue_thru;
  double a, b, c;          // Table 6.5: cycles, cycles, GB/s
  double huang_schedulers; // units of one issue per cycle, section 7.5
  double sim_mwp_peak_bw;  // Table 7.1; 0: not evaluated
};

inline const std::map<std::string, Gpu> gpus = {
    {"G80", {16, 1.350, 444, 0.0268, 20, 0.25, 0.5, 453, 61, 81, 0, 0}},
    {"GT200", {30, 1.296, 434, 0.0277, 24, 0.25, 0.5, 438, 17, 140, 0, 0}},
    {"Fermi", {15, 1.400, 513, 0.0599, 18, 1, 1, 501, 41, 170, 1, 30.7}},
    {"Kepler", {8, 1.124, 301, 0.1338, 9, 4, 4, 300, 32, 170, 4, 40.3}},
    {"Maxwell", {16, 1.266, 368, 0.0814, 6, 4, 4, 372, 22, 221, 4, 29.9}}};

// One group of alpha + 1 instructions, so that warps per cycle are loads per cycle.
inline TwoSubsystemKernel cadd(const Gpu& gpu, double alpha) {
  TwoSubsystemKernel k;
  k.compute_instructions = alpha;
  k.memory_instructions = 1;
  k.compute_interval = 1 / gpu.alu_thru;
  k.compute_latency = gpu.alu_lat;
  k.memory_interval = 1 / gpu.mem_thru;
  k.memory_latency = gpu.mem_lat;
  k.memory_issue_interval = 1 / gpu.alu_thru;
  k.issue_limit = gpu.issue_thru;
  return k;
}

// GB/s of the device at one load of 128 bytes per cycle and SM.
inline double gbps(const Gpu& gpu) { return 128 * gpu.sms * gpu.clock_ghz; }

inline KernelProfile cadd_profile(const Gpu& gpu, double alpha) {
  KernelProfile p = profile_of(cadd(gpu, alpha));
  p.loaded_memory = {.a = gpu.a,
                     .b = gpu.b,
                     .c = gpu.c,
                     .unloaded_latency = gpu.mem_lat,
                     .accesses = 1,
                     .gbps_per_warp_rate = gbps(gpu)};
  return p;
}

} // namespace kerncast::analytical::thesis
