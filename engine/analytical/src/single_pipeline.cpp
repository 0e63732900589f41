#include "analytical/single_pipeline.h"

namespace kerncast::analytical {

double single_pipeline_cycles(const SinglePipeline& p) {
  const bool latency_bound = p.warps * p.issue_interval <= p.latency;
  return latency_bound ? p.instructions * p.latency + (p.warps - 1) * p.issue_interval
                       : p.latency + (p.instructions * p.warps - 1) * p.issue_interval;
}

} // namespace kerncast::analytical
