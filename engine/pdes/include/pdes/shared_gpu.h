// Several kernels on one GPU at the same time: the processes of gpu.h, whose SMs hold CTAs of all of them.
//
// The GPU takes the kernels in the order in which they become ready. All CTAs of one are placed before any of
// the next one (Amert et al., "GPU Scheduling on the NVIDIA TX2", RTSS 2017), so that a later kernel gets
// what the others leave free, in their last waves too. A CTA goes to the SM that has room for most CTAs of
// its kind (Gilman et al., "Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler for
// Concurrent Kernels", 2020: by what is left on the SMs, not in turn), of equal ones to the next in turn;
// what fits, configs/sm_room.h says. Schedulers, units, ports, L1, L2 and DRAM know no kernels. Left out:
// priorities, thread-block clusters' want of neighbouring SMs, carve-outs of L1's memory that change while
// kernels run (L1 has what the kernel with the most shared memory leaves it).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "configs/sm_room.h"
#include "engine/merged_program.h"
#include "pdes/gpu.h"

namespace kerncast::pdes {

struct SharingKernel {
  Time ready = 0;                   // its CTAs may be placed from then on
  std::vector<engine::CtaRun> ctas; // of the grid, in their order; kinds of the whole workload
  configs::CtaDemand demand;
  KernelOnGpu parts;
};

struct SharedGpuWorkload {
  GpuSurroundings surroundings;
  engine::SmWorkload sm; // merged; resident_ctas: slots
  configs::ResidencyLimits limits;
  std::vector<SharingKernel> kernels; // by the times at which they are ready
};

// A kernel that is to share the GPU. All of them outlive what is made of them.
struct PlannedKernel {
  const engine::KernelPlan* plan = nullptr;
  Time ready = 0;
  double dram_queueing = 0;                                // as the representative SM has it
  std::shared_ptr<hit_rates::LaunchLines> lines = nullptr; // null: rates decide what hits
};

// `kernels`: by the times at which they are ready; at least one.
SharedGpuWorkload make_shared_workload(std::span<const PlannedKernel> kernels, const configs::Gpu& gpu);

struct KernelTimes {
  Time begin = never; // the launch latency before its first CTA issues
  Time end = 0;       // its last CTA has ended, and slices and channels have done what it asked for
};

struct SharedGpuResult {
  std::vector<KernelTimes> kernels;
  GpuResult all;
};

// As simulate_gpu. With several ranks those of this rank: of each kernel's times the earliest and the latest
// of all ranks count.
SharedGpuResult simulate_shared_gpu(const SharedGpuWorkload& workload,
                                    const Execution<GpuMessage>& execution = {}, L2Contents* l2 = nullptr);

} // namespace kerncast::pdes
