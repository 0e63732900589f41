#include "misses_under_way.h"

#include <algorithm>

namespace kerncast::engine {

double in_flight_bytes(const configs::Gpu& gpu) {
  const auto of_ports = static_cast<double>(gpu.memory.in_flight_bytes_per_sm);
  const double of_mshrs = static_cast<double>(gpu.l1.mshrs) * gpu.l1.line_bytes;
  if (of_mshrs == 0 || of_ports == 0)
    return std::max(of_mshrs, of_ports);
  return std::min(of_mshrs, of_ports);
}

double dram_bytes_per_clock_of_mshrs(const configs::Gpu& gpu) {
  const double cycles = gpu.dram.latency - gpu.l2.latency;
  const double lines = static_cast<double>(gpu.l2.mshrs) * gpu.l2_layout.slices;
  return cycles > 0 ? lines * gpu.l2.line_bytes / cycles : 0;
}

} // namespace kerncast::engine
