// What simulations of one kernel and of several ones have in common: the surroundings of a planned launch's
// SMs, and all processes of a GPU.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gpu_processes.h"

namespace kerncast::pdes {

Time whole_cycles(double cycles); // at least one

// `dram_bytes_per_clock`: of all channels together.
GpuSurroundings surroundings_of(const configs::Gpu& gpu, const engine::SmWorkload& sm,
                                double dram_bytes_per_clock, std::vector<std::string>& assumptions);
// Bytes per clock that all SMs have together.
double dram_of_all_sms(const engine::SmGroup& group);
// And that the channels have: for an SM that stands for all, l2.mshrs limit bytes per clock, here lines under
// way.
double dram_of_all_channels(const engine::KernelPlan& plan, const configs::Gpu& gpu);
// In the grid's order, as far as that is known.
std::vector<engine::CtaRun> ctas_of_plan(const engine::KernelPlan& plan);

// All processes of this rank.
struct GpuSystem {
  // All arguments outlive the object. With lines, what L2 holds is `l2`, which is made if it is empty.
  GpuSystem(const GpuSurroundings& gpu, const engine::SmWorkload& sm, const Kernels& kernels,
            Process<GpuMessage>& scheduler, const Execution<GpuMessage>& execution, L2Contents& l2);

  GpuResult result() const;

  std::vector<std::unique_ptr<SmProcess>> sms; // null: on other ranks
  std::deque<SliceProcess> slices;
  std::vector<Process<GpuMessage>*> processes;
};

} // namespace kerncast::pdes
