#include "access_tracer.h"

#include <algorithm>
#include <utility>

namespace kerncast::functional {

void AccessTracer::add(std::uint32_t warp, const warp::AccessStep& step,
                       const warp::Lanes<std::uint64_t>& addresses, warp::LaneMask lanes) {
  if (!is_over())
    add(warp, patterns_.trace(step, addresses, lanes));
}

void AccessTracer::add_unknown(std::uint32_t warp, const warp::AccessStep& step, warp::LaneMask lanes) {
  if (!is_over())
    add(warp, patterns_.trace_unknown(step, lanes));
}

void AccessTracer::add(std::uint32_t warp, const std::optional<tasklist::TracedAccess>& access) {
  if (!access)
    return;
  ++count_;
  warps_[warp].push_back({access->address, access->task, access->pattern});
}

void AccessTracer::finish_cluster(std::span<const std::uint64_t> ctas) {
  const std::uint64_t done = trace_.warp_begin.size() / trace_.warps_per_cta;
  for (std::size_t rank = 0; ctas.size() > 1 && rank < ctas.size(); ++rank) {
    trace_.places.resize(std::max<std::size_t>(trace_.places.size(), ctas[rank] + 1));
    trace_.places[ctas[rank]] = done + rank;
  }
  for (std::vector<GridTrace::Access>& warp : warps_) {
    trace_.warp_begin.push_back(trace_.accesses.size());
    trace_.accesses.insert(trace_.accesses.end(), warp.begin(), warp.end());
    warp.clear();
  }
}

std::shared_ptr<const GridTrace> AccessTracer::take() {
  if (is_over())
    return nullptr;
  trace_.warp_begin.push_back(trace_.accesses.size());
  trace_.accesses.shrink_to_fit();
  trace_.misses_patterns = patterns_.is_full();
  trace_.patterns = patterns_.take();
  return std::make_shared<const GridTrace>(std::move(trace_));
}

} // namespace kerncast::functional
