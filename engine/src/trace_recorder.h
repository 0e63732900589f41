// Collects the slices of a trace, up to a number of them.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/sm_time.h"
#include "engine/sm_trace.h"

namespace kerncast::engine {

class TraceRecorder {
public:
  TraceRecorder(const SmWorkload& workload, std::size_t max_slices) : max_slices_(max_slices) {
    for (const SmUnit& unit : workload.config.units) {
      const std::size_t copies = unit.scope == configs::UnitScope::sub_core ? workload.config.sub_cores : 1;
      free_at_.emplace_back(copies, std::vector<Time>(unit.count, 0));
    }
  }

  bool full() const { return trace_.warps.size() + trace_.units.size() >= max_slices_; }

  void warp(std::uint32_t warp, std::uint32_t op, WarpState state, Time begin, Time end) {
    if (end > begin)
      trace_.warps.push_back({to_cycles(begin), to_cycles(end), warp, op, state});
    until_ = std::max(until_, end);
  }

  // From `issued` on, as soon as a pipeline is free.
  void unit(std::uint32_t unit, std::uint32_t sub_core, std::uint32_t warp, std::uint32_t op, Time issued,
            Time interval) {
    auto& copies = free_at_[unit];
    const std::uint32_t copy = copies.size() == 1 ? 0 : sub_core;
    const auto pipeline = std::min_element(copies[copy].begin(), copies[copy].end());
    const Time begin = std::max(issued, *pipeline), end = begin + interval;
    *pipeline = end;
    trace_.units.push_back({to_cycles(begin), to_cycles(end), unit, copy,
                            static_cast<std::uint32_t>(pipeline - copies[copy].begin()), warp, op});
    until_ = std::max(until_, end);
  }

  SmTrace trace() && {
    trace_.cut = full();
    trace_.until = to_cycles(until_);
    return std::move(trace_);
  }

private:
  std::size_t max_slices_;
  std::vector<std::vector<std::vector<Time>>> free_at_; // unit, copy, pipeline
  Time until_ = 0;
  SmTrace trace_;
};

} // namespace kerncast::engine
