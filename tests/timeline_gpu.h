// A GPU whose timeline can be worked out in one's head.
#pragma once

#include "timeline/timeline.h"

namespace kerncast::timeline::test {

// Launch overhead 2 us; host link 1 GB/s (1000 bytes per us) with 1 us per copy; DRAM 4 GB/s sustained;
// an engine for copies in each direction.
inline configs::Gpu gpu() {
  configs::Gpu gpu;
  gpu.launch_overhead_us = 2;
  gpu.copy_engines = 2;
  gpu.host_link = {.bandwidth_gbps = 1, .latency_us = 1};
  gpu.dram.bandwidth_gbps = 8;
  gpu.dram.sustained_fraction = 0.5;
  return gpu;
}

inline CopyEvent h2d(std::uint64_t bytes, std::uint32_t stream = 0) { return {CopyKind::h2d, bytes, stream}; }
inline CopyEvent d2h(std::uint64_t bytes, std::uint32_t stream = 0) { return {CopyKind::d2h, bytes, stream}; }

} // namespace kerncast::timeline::test
