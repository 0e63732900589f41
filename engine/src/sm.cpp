// One SM, event-driven. Time is real; a scheduler acts once a cycle.
//
// In cycle t a scheduler may issue up to issue_width instructions whose operands, warp and unit are free
// before t + 1. An instruction starts at the latest of t and those times, holds its unit for issue_interval
// and its results are ready `latency` later: fractional intervals and latencies keep their value over many
// instructions. Sub-cores take turns in being first in a cycle, since they share units of SM scope.
// An instruction fetch is free. A warp ends with its last completion; a store completes when it starts.
// CTAs are placed at once, issue first cta_launch_latency later, and are replaced when they end.
#include "sm.h"

#include <algorithm>
#include <limits>

#include "engine/simulate_sm.h"
#include "policies/gto.h"
#include "policies/lrr.h"
#include "policies/oldest.h"
#include "policies/two_level.h"

namespace kerncast::engine {

void UnitState::hold(double start, double cycles) {
  if (pipeline_free_at.empty()) {
    earliest = start + cycles;
    return;
  }
  *std::min_element(pipeline_free_at.begin(), pipeline_free_at.end()) = start + cycles;
  earliest = *std::min_element(pipeline_free_at.begin(), pipeline_free_at.end());
}

SmResult Sm::run() {
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot)
    place_cta(slot, 0, 0);
  while (true) {
    std::int64_t now = ended_.empty() ? WakeWheel::never : cycle_of(ended_.front().end);
    for (const SubCore& core : cores_)
      now = std::min(now, core.next_event);
    if (now == WakeWheel::never)
      break;
    replace_ended_ctas(now);
    auto sub_core = static_cast<std::uint32_t>(static_cast<std::uint64_t>(now) % sub_cores_);
    for (std::uint32_t i = 0; i < sub_cores_; ++i) {
      if (cores_[sub_core].next_event == now)
        run_sub_core(sub_core, now);
      sub_core = sub_core + 1 == sub_cores_ ? 0 : sub_core + 1;
    }
  }
  result_.cycles = std::max(last_end_, memory_.drained_at());
  result_.l2_bytes = memory_.l2_bytes();
  result_.dram_bytes = memory_.dram_bytes();
  result_.memory_port_cycles = memory_.port_cycles();
  return std::move(result_);
}

// Warps that can issue: operands there and unit free before the cycle ends.
std::uint64_t Sm::candidates(const SubCore& core, double cycle_end) const {
  std::uint64_t found = 0;
  for (std::uint32_t u = 0; u < units_; ++u)
    // A mask instead of a branch, which would be wrong as often as not.
    found |= core.ready[u] & -static_cast<std::uint64_t>(core.units[u]->earliest < cycle_end);
  return found;
}

void Sm::run_sub_core(std::uint32_t sub_core, std::int64_t now) {
  SubCore& core = cores_[sub_core];
  for (std::uint64_t due = core.wheel.take(now); due != 0; due &= due - 1) {
    const std::uint32_t slot = first_slot(due);
    core.ready[warps_[slot * sub_cores_ + sub_core].op->unit] |= std::uint64_t{1} << slot;
  }
  const auto cycle_end = static_cast<double>(now + 1);
  std::uint32_t issued = 0;
  for (; issued < config_.issue_width; ++issued) {
    const std::uint64_t can_issue = candidates(core, cycle_end);
    if (can_issue == 0)
      break;
    core.last_issued = pick_({can_issue, core.ages.data(), core.last_issued});
    issue(warps_[core.last_issued * sub_cores_ + sub_core], now, config_.dual_issue);
  }
  result_.issue_cycles += issued != 0 ? 1 : 0;
  core.next_event = next_event(core, now);
}

// When the scheduler must act again: a warp wakes, or the unit of a ready warp becomes free.
std::int64_t Sm::next_event(const SubCore& core, std::int64_t now) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  double unit_free_at = never;
  for (std::uint32_t u = 0; u < units_; ++u)
    unit_free_at = std::min(unit_free_at, core.ready[u] != 0 ? core.units[u]->earliest : never);
  const std::int64_t next_wake = core.wheel.next_after(now);
  if (unit_free_at == never)
    return next_wake;
  return std::min(next_wake, std::max(now + 1, cycle_of(unit_free_at)));
}

SmResult simulate_sm(const SmWorkload& workload) {
  // In the order of configs::SchedulerPolicy.
  static constexpr std::uint32_t (*policies[])(const SchedulerView&) = {Lrr::pick, Gto::pick, Oldest::pick,
                                                                        TwoLevel::pick};
  return Sm(workload, policies[static_cast<std::size_t>(workload.config.scheduler)]).run();
}

} // namespace kerncast::engine
