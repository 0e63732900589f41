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
#include <cassert>

#include "engine/simulate_sm.h"
#include "policies/gto.h"
#include "policies/lrr.h"
#include "policies/oldest.h"
#include "policies/two_level.h"

namespace kerncast::engine {

void UnitState::hold(double start, double cycles) {
  if (pipeline_free_at.size() == 1) {
    earliest = pipeline_free_at[0] = start + cycles;
    return;
  }
  *std::min_element(pipeline_free_at.begin(), pipeline_free_at.end()) = start + cycles;
  earliest = *std::min_element(pipeline_free_at.begin(), pipeline_free_at.end());
}

Sm::Sm(const SmWorkload& workload, std::uint32_t (*pick)(const SchedulerView&))
    : workload_(workload), pick_(pick), config_(workload.config), program_(*workload.program),
      sub_cores_(workload.config.sub_cores),
      warps_per_cta_(static_cast<std::uint32_t>(workload.kinds.at(0).warp_paths.size())), cores_(sub_cores_),
      memory_(workload.config) {
  const std::size_t warps = std::size_t{workload.resident_ctas} * warps_per_cta_;
  assert(warps <= std::size_t{64} * sub_cores_ && "a scheduler's warps are bits of one word");
  assert(config_.units.size() <= 64 && "units wanted are bits of one word");
  warps_.resize(warps);
  ctas_.resize(workload.resident_ctas);
  ready_at_.resize(warps * program_.slot_count);
  reasons_.resize(warps * program_.slot_count, WarpState::wait);
  loop_counters_.resize(warps * program_.loop_depth);
  for (const SmUnit& unit : config_.units) {
    const std::uint32_t copies = unit.scope == configs::UnitScope::sub_core ? sub_cores_ : 1;
    first_unit_state_.push_back(units_.size());
    unit_stride_.push_back(unit.scope == configs::UnitScope::sub_core ? 1 : 0);
    // All pipelines of a unit together keep all memory ports exactly busy.
    port_cycles_.push_back(static_cast<double>(config_.memory_ports) / (copies * unit.count));
    units_.resize(units_.size() + copies, {std::vector<double>(unit.count, 0.0), 0.0});
  }
  for (SubCore& core : cores_)
    core.ready.resize(config_.units.size());
  result_.unit_busy_cycles.resize(config_.units.size());
}

SmResult Sm::run() {
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot)
    place_cta(slot, 0);
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

// Warps that can issue now: operands there and unit free.
std::uint64_t Sm::candidates(std::uint32_t sub_core, std::int64_t now) const {
  const SubCore& core = cores_[sub_core];
  const auto cycle_end = static_cast<double>(now + 1);
  std::uint64_t found = 0;
  for (std::uint64_t wanted = core.units_wanted; wanted != 0; wanted &= wanted - 1) {
    const std::uint32_t unit = first_slot(wanted);
    if (units_[unit_index(sub_core, unit)].earliest < cycle_end)
      found |= core.ready[unit];
  }
  return found;
}

void Sm::run_sub_core(std::uint32_t sub_core, std::int64_t now) {
  SubCore& core = cores_[sub_core];
  for (std::uint64_t due = core.wheel.take(now); due != 0; due &= due - 1) {
    const std::uint32_t slot = first_slot(due);
    const std::uint32_t unit = program_.ops[warps_[slot * sub_cores_ + sub_core].op].unit;
    core.ready[unit] |= std::uint64_t{1} << slot;
    core.units_wanted |= std::uint64_t{1} << unit;
  }
  bool issued = false;
  for (std::uint32_t i = 0; i < config_.issue_width; ++i) {
    const std::uint64_t can_issue = candidates(sub_core, now);
    if (can_issue == 0)
      break;
    core.last_issued = pick_({can_issue, core.ages.data(), core.last_issued});
    issue(core.last_issued * sub_cores_ + sub_core, now, config_.dual_issue);
    issued = true;
  }
  result_.issue_cycles += issued ? 1 : 0;
  update_next_event(sub_core, now);
}

void Sm::update_next_event(std::uint32_t sub_core, std::int64_t now) {
  SubCore& core = cores_[sub_core];
  std::int64_t next = core.wheel.next_after(now);
  for (std::uint64_t wanted = core.units_wanted; wanted != 0; wanted &= wanted - 1) {
    const double free_at = units_[unit_index(sub_core, first_slot(wanted))].earliest;
    next = std::min(next, std::max(now + 1, cycle_of(free_at)));
  }
  core.next_event = next;
}

SmResult simulate_sm(const SmWorkload& workload) {
  // In the order of configs::SchedulerPolicy.
  static constexpr std::uint32_t (*policies[])(const SchedulerView&) = {Lrr::pick, Gto::pick, Oldest::pick,
                                                                        TwoLevel::pick};
  return Sm(workload, policies[static_cast<std::size_t>(workload.config.scheduler)]).run();
}

} // namespace kerncast::engine
