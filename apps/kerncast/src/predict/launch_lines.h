// The lines that the accesses of single launches touch, for caches that are simulated with time.
#pragma once

#include <memory>
#include <vector>

#include "hit_rates/line_accesses.h"
#include "input.h"
#include "traced_kernels.h"

namespace kerncast::app {

// Of the launches on one GPU.
class LaunchLinesOfGpu {
public:
  // All arguments must outlive the object. `programs`: by kernel.
  LaunchLinesOfGpu(const PredictInput& input, const configs::Gpu& gpu,
                   const std::vector<machine::MachineProgram>& programs);

  // Null for a kernel without addresses. `ctas_per_sm`: resident. `local_offset`: see LaunchLines.
  std::shared_ptr<hit_rates::LaunchLines> of(const LaunchJob& job, std::uint32_t ctas_per_sm,
                                             std::uint64_t local_offset = 0) const;

private:
  std::unique_ptr<tasklist::AccessSource> traced(const LaunchJob& job, std::uint32_t ctas_per_sm) const;

  const PredictInput& input_;
  const configs::Gpu& gpu_;
  const std::vector<machine::MachineProgram>& programs_;
  TracedKernels traced_;
};

} // namespace kerncast::app
