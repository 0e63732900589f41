// Kernels that share a small GPU, from the workload that each of them has alone.
#pragma once

#include <utility>
#include <vector>

#include "engine/stepped_sm.h"
#include "pdes/shared_gpu.h"

namespace kerncast::pdes {

struct AloneKernel {
  GpuWorkload alone;
  Time ready = 0;
  configs::CtaDemand demand = {};
};

// An SM with room for so many CTAs and warps, and nothing else that could be short.
inline configs::ResidencyLimits limits_of(std::uint32_t ctas, std::uint32_t warps) {
  return {.ctas_per_sm = ctas,
          .warps_per_sm = warps,
          .threads_per_sm = 32 * warps,
          .registers_per_sm = 65536,
          .warp_allocation_granularity = 4,
          .shared_bytes_per_sm = 65536};
}

// In the surroundings of the first one. Warps are those of the kernels' CTAs.
inline SharedGpuWorkload share(const std::vector<AloneKernel>& kernels,
                               const configs::ResidencyLimits& limits) {
  std::vector<const engine::SmWorkload*> alone;
  for (const AloneKernel& kernel : kernels)
    alone.push_back(&kernel.alone.sm);
  engine::MergedWorkload merged = engine::merge(alone);
  SharedGpuWorkload out;
  out.surroundings = kernels.front().alone.surroundings;
  out.sm = std::move(merged.sm);
  out.sm.resident_ctas =
      engine::max_warps_per_sub_core * out.sm.config.sub_cores / engine::warps_per_slot(out.sm);
  out.limits = limits;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const AloneKernel& kernel = kernels[i];
    SharingKernel one{
        .ready = kernel.ready, .ctas = kernel.alone.sm.ctas, .demand = kernel.demand, .parts = {}};
    for (engine::CtaRun& run : one.ctas)
      run.kind += merged.kernels[i].first_kind;
    one.demand.warps = static_cast<std::uint32_t>(kernel.alone.sm.kinds.front().warp_paths.size());
    one.parts = {merged.kernels[i], kernel.alone.surroundings.dram_bytes_per_clock, kernel.alone.lines};
    out.kernels.push_back(std::move(one));
  }
  return out;
}

} // namespace kerncast::pdes
