// One SM, event-driven. Time is real (in steps of 2^-15 cycles); a scheduler acts once a cycle.
//
// In cycle t a scheduler may issue up to issue_width instructions whose operands, warp and unit are free
// before t + 1. An instruction starts at the latest of t and those times, holds its unit for issue_interval
// and its results are ready `latency` later: fractional intervals and latencies keep their value over many
// instructions. Sub-cores take turns in being first in a cycle, since they share units of SM scope.
// An instruction fetch is free. A warp ends with its last completion; a store completes when it starts.
// CTAs are placed at once, issue first cta_launch_latency later, and are replaced when they end.
#include "sm_issue.h"

#include <algorithm>

#include "engine/simulate_sm.h"
#include "policies/gto.h"
#include "policies/lrr.h"
#include "policies/oldest.h"
#include "policies/two_level.h"

namespace kerncast::engine {

template <class Policy> SmResult Sm::run() {
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot)
    place_cta(slot, 0, 0);
  while (true) {
    std::int64_t now = ended_.empty() ? WakeWheel::never : cycle_of(ended_.front().end);
    for (const NextEvents& events : next_events_)
      for (const std::int64_t event : events)
        now = std::min(now, event);
    if (now == WakeWheel::never)
      break;
    replace_ended_ctas(now);
    run_cycle<Policy>(now);
  }
  return result();
}

// All sub-cores that must act at `now`, beginning with the one whose turn it is to be first.
template <class Policy> void Sm::run_cycle(std::int64_t now) {
  std::uint64_t due = 0;
  for (std::size_t i = next_events_.size(); i-- > 0;)
    for (std::size_t j = sub_cores_at_once; j-- > 0;)
      due = due << 1 | static_cast<std::uint64_t>(next_events_[i][j] == now);
  const std::uint32_t first = first_sub_core(now);
  due = (due | due << sub_cores_) >> first & ((std::uint64_t{1} << sub_cores_) - 1);
  for (; due != 0; due &= due - 1) {
    const std::uint32_t sub_core = first_slot(due) + first;
    schedule<Policy>(sub_core < sub_cores_ ? sub_core : sub_core - sub_cores_, now);
  }
}

std::uint32_t Sm::first_sub_core(std::int64_t now) const {
  const auto cycle = static_cast<std::uint64_t>(now);
  const bool power_of_two = (sub_cores_ & (sub_cores_ - 1)) == 0; // a division less
  return static_cast<std::uint32_t>(power_of_two ? cycle & (sub_cores_ - 1) : cycle % sub_cores_);
}

template <class Policy> void Sm::schedule(std::uint32_t sub_core, std::int64_t now) {
  SubCore& core = cores_[sub_core];
  core.awake |= core.wheel.take(now);
  if (core.next_release <= now)
    core.release_units(now);
  std::uint32_t issued = 0;
  while (issued < config_.issue_width) {
    const std::uint64_t candidates = core.awake & ~core.blocked;
    if (candidates == 0)
      break;
    const std::uint32_t slot = Policy::pick({candidates, core.older.data(), core.last_issued});
    const std::uint32_t unit = core.warps[slot].op->unit;
    if (cycle_of(core.free_at[unit]) > now) { // held since another sub-core, or this one, used it
      core.block(unit, core.free_at[unit]);
      continue;
    }
    core.last_issued = slot;
    ++issued;
    if (issue(core, slot, now) && (!config_.dual_issue || !pairs(core, slot, now) || issue(core, slot, now)))
      park(core, slot, now);
  }
  issue_cycles_ += issued != 0 ? 1 : 0;
  // When the scheduler must act again: at once, when a warp wakes, or when the unit of an awake one is free.
  const std::int64_t later = std::min(core.wheel.next_after(now), core.awake != 0 ? core.next_release : WakeWheel::never);
  next_event_of(sub_core) = (core.awake & ~core.blocked) != 0 ? now + 1 : later;
}

void SubCore::release_units(std::int64_t now) {
  next_release = WakeWheel::never;
  blocked = 0;
  for (std::uint64_t rest = busy_units; rest != 0; rest &= rest - 1) {
    const std::uint32_t unit = first_slot(rest);
    busy_units &= ~(std::uint64_t{1} << unit);
    if (cycle_of(free_at[unit]) > now)
      block(unit, free_at[unit]);
  }
}

SmResult simulate_sm(const SmWorkload& workload) {
  // In the order of configs::SchedulerPolicy.
  static constexpr SmResult (Sm::*policies[])() = {&Sm::run<Lrr>, &Sm::run<Gto>, &Sm::run<Oldest>,
                                                   &Sm::run<TwoLevel>};
  Sm sm(workload);
  return (sm.*policies[static_cast<std::size_t>(workload.config.scheduler)])();
}

} // namespace kerncast::engine
