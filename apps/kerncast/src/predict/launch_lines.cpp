#include "launch_lines.h"

#include <algorithm>

#include "hit_rates/device_caches.h"
#include "hit_rates/issued_source.h"

namespace kerncast::app {
namespace {

// Accesses of all resident CTAs, where each has a trace of its own; of one CTA whose trace others share.
constexpr std::uint64_t most_resident = 1U << 24;
constexpr std::uint64_t most_shared = 1U << 22;

// Whether some warp of a CTA in the middle does more than was traced, and other CTAs share its trace.
bool is_cut_and_shared(const tasklist::Launch& launch, tasklist::AccessSource& source) {
  const std::uint64_t middle = launch.grid.count() / 2;
  const bool is_cut = source.cta(middle).trace->truncated;
  const std::uint64_t before = source.executed();
  source.cta(middle);
  return is_cut && source.executed() == before;
}

} // namespace

LaunchLinesOfGpu::LaunchLinesOfGpu(const PredictInput& input, const configs::Gpu& gpu,
                                   const std::vector<machine::MachineProgram>& programs)
    : input_(input), gpu_(gpu), programs_(programs), traced_(input) {}

std::unique_ptr<tasklist::AccessSource> LaunchLinesOfGpu::traced(const LaunchJob& job,
                                                                 std::uint32_t ctas_per_sm) const {
  slice::TraceOptions options;
  options.accesses_per_warp =
      hit_rates::accesses_per_warp(job.launch, ctas_per_sm, gpu_, {.lines_per_launch = most_resident});
  options.in_any_order = true;
  auto source = traced_.source_of(job, options);
  const std::uint64_t shared = most_shared / job.launch.warps_per_cta();
  if (job.trace || !source || shared <= options.accesses_per_warp || !is_cut_and_shared(job.launch, *source))
    return source;
  options.accesses_per_warp = shared;
  return traced_.source_of(job, options);
}

std::shared_ptr<hit_rates::LaunchLines> LaunchLinesOfGpu::of(const LaunchJob& job, std::uint32_t ctas_per_sm,
                                                             std::uint64_t local_offset) const {
  if (!traced_.has_addresses(job))
    return nullptr;
  const tasklist::Tasklist& list = input_.kernels[job.kernel].list;
  const machine::MachineProgram& program = programs_[job.kernel];
  auto source = hit_rates::as_issued(traced(job, ctas_per_sm), list, program, gpu_.scheduler);
  if (!source)
    return nullptr;
  return std::make_shared<hit_rates::LaunchLines>(std::move(source), list, program, job.launch, ctas_per_sm,
                                                  gpu_, local_offset);
}

} // namespace kerncast::app
