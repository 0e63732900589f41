#include "analytical/cuda_guide.h"

#include "least.h"

namespace kerncast::analytical {

double cuda_guide_needed_warps(const TwoSubsystemKernel& k) {
  return k.memory_latency / (k.compute_intensity() * k.compute_interval);
}

WarpRate cuda_guide(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  WarpRate rate = unbounded();
  lower(rate, 1 / (k.compute_instructions * k.compute_interval), busiest_compute_subsystem(profile));
  lower(rate, warps / (k.memory_instructions * k.memory_latency), "latency");
  return rate;
}

} // namespace kerncast::analytical
