#include "analytical/roofline.h"

#include <algorithm>
#include <limits>

namespace kerncast::analytical {

double roofline_ipc(double ipc_compute, double bandwidth, double compute_intensity) {
  return std::min(ipc_compute, bandwidth * compute_intensity);
}

WarpRate roofline(const KernelProfile& profile) {
  WarpRate roof{.warps_per_cycle = std::numeric_limits<double>::infinity(), .bound = "latency"};
  for (const SubsystemLoad& subsystem : profile.subsystems)
    if (subsystem.cycles_per_warp * roof.warps_per_cycle > 1)
      roof = {.warps_per_cycle = 1 / subsystem.cycles_per_warp, .bound = subsystem.name};
  return roof;
}

} // namespace kerncast::analytical
