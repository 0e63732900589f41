#include "sm_timeline.h"

namespace kerncast::app {

SmTimeline record_timeline(const engine::KernelPlan& plan, const configs::Gpu& gpu) {
  const engine::SmGroup& group = plan.groups.front();
  SmTimeline timeline;
  timeline.gpu = gpu.name;
  timeline.kernel = plan.kernel;
  timeline.ops = plan.op_sources;
  for (const configs::Unit& unit : gpu.units) {
    timeline.units.push_back(unit.name);
    timeline.unit_of_sm.push_back(unit.scope == configs::UnitScope::sm);
    timeline.unit_pipelines.push_back(unit.count);
  }
  timeline.warps_per_cta = static_cast<std::uint32_t>(group.workload.kinds.front().warp_paths.size());
  timeline.sub_cores = group.workload.config.sub_cores;
  timeline.ctas = group.ctas;
  timeline.trace = engine::trace_sm(group.workload, max_timeline_slices);
  return timeline;
}

} // namespace kerncast::app
