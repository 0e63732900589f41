#include "timeline/timeline.h"

#include <cassert>

namespace kerncast::timeline {
namespace {

// 1 GB/s moves 1e9 bytes in 1e6 us.
constexpr double bytes_per_us_at_one_gbps = 1e3;

double transfer_us(double bytes, double bandwidth_gbps) {
  assert(bandwidth_gbps > 0 && "the GPU's loader admits no bandwidth of zero");
  return bytes / (bandwidth_gbps * bytes_per_us_at_one_gbps);
}

} // namespace

double copy_time_us(const CopyEvent& copy, const configs::Gpu& gpu) {
  const double bytes = static_cast<double>(copy.bytes);
  const double dram_gbps = gpu.dram.bandwidth_gbps * gpu.dram.sustained_fraction;
  switch (copy.kind) {
  case CopyKind::h2d:
  case CopyKind::d2h:
    return gpu.host_link.latency_us + transfer_us(bytes, gpu.host_link.bandwidth_gbps);
  case CopyKind::d2d:
    return transfer_us(2 * bytes, dram_gbps);
  case CopyKind::memset:
    return transfer_us(bytes, dram_gbps);
  case CopyKind::peer:
    return gpu.host_link.latency_us + transfer_us(bytes, gpu.nvlink.bandwidth_gbps() > 0
                                                             ? gpu.nvlink.bandwidth_gbps()
                                                             : gpu.host_link.bandwidth_gbps);
  }
  return 0;
}

} // namespace kerncast::timeline
