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
#include "engine/sm_trace.h"
#include "loaded_latency.h"
#include "policies/gto.h"
#include "policies/lrr.h"
#include "policies/oldest.h"
#include "policies/two_level.h"
#include "steady.h"
#include "trace_recorder.h"

namespace kerncast::engine {

template <class Policy, bool one_a_cycle> SmResult Sm::run() {
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot)
    place_cta(slot, 0, 0);
  while (true) {
    std::int64_t now = next_replacement_;
    for (std::size_t i = 0; i < next_event_.size(); i += sub_cores_at_once) {
      const std::int64_t* const events = next_event_.data() + i;
      now = std::min(now, std::min(std::min(events[0], events[1]), std::min(events[2], events[3])));
    }
    if (now == WakeWheel::never)
      break;
    if constexpr (is_observed<Policy>)
      if (trace_->full())
        break;
    if (next_replacement_ <= now)
      replace_ended_ctas(now);
    run_cycle<Policy, one_a_cycle>(now);
  }
  return result();
}

// All sub-cores that must act at `now`, beginning with the one whose turn it is to be first.
template <class Policy, bool one_a_cycle> [[gnu::flatten]] void Sm::run_cycle(std::int64_t now) {
  std::uint64_t due = 0;
  for (std::size_t i = 0; i < next_event_.size(); i += sub_cores_at_once) {
    const std::int64_t* const events = next_event_.data() + i;
    due |= (static_cast<std::uint64_t>(events[0] == now) | static_cast<std::uint64_t>(events[1] == now) << 1 |
            static_cast<std::uint64_t>(events[2] == now) << 2 |
            static_cast<std::uint64_t>(events[3] == now) << 3)
           << i;
  }
  const std::uint32_t first = first_sub_core(now);
  due = (due | due << sub_cores_) >> first & ((std::uint64_t{1} << sub_cores_) - 1);
  for (; due != 0; due &= due - 1) {
    const std::uint32_t sub_core = nth_sub_core_[first_slot(due) + first];
    next_event_[sub_core] = schedule<Policy, one_a_cycle>(cores_[sub_core], now);
  }
}

inline std::uint32_t Sm::first_sub_core(std::int64_t now) const {
  const auto cycle = static_cast<std::uint64_t>(now);
  const bool power_of_two = (sub_cores_ & (sub_cores_ - 1)) == 0; // a division less
  return static_cast<std::uint32_t>(power_of_two ? cycle & (sub_cores_ - 1) : cycle % sub_cores_);
}

// One scheduler in one cycle. Returns when it must act again.
template <class Policy, bool one_a_cycle> std::int64_t Sm::schedule(SubCore& core, std::int64_t now) {
  core.awake |= core.wheel.take(now);
  if (core.next_release <= now)
    core.release_units(now);
  if constexpr (one_a_cycle)
    now = issue_one<Policy>(core, now);
  else
    issue_several<Policy>(core, now);
  core.acted = now;
  // In the next slot, when a warp wakes, or when the unit of an awake one is free.
  const bool ready = (core.awake & ~core.blocked) != 0;
  if (one_a_cycle && ready)
    return now + 1;
  const std::int64_t wake = core.wheel.next_after(now);
  if (ready)
    return std::min(wake, std::max(now + 1, core.next_slot));
  return core.awake != 0 ? std::min(wake, core.next_release) : wake;
}

// Returns the last cycle in which the warp issued, or `now` if none did.
template <class Policy> std::int64_t Sm::issue_one(SubCore& core, std::int64_t now) {
  const std::uint32_t slot = pick<Policy>(core, now);
  if (slot == no_slot || !issue<Policy>(core, slot, now))
    return now;
  if constexpr (is_greedy<Policy>)
    now = issue_run(core, slot, now);
  park(core, slot, now, 1);
  return now;
}

// Up to issue_width warps, each with up to two instructions if it may pair them.
template <class Policy> void Sm::issue_several(SubCore& core, std::int64_t now) {
  if (now < core.next_slot)
    return;
  std::uint32_t issued = 0;
  for (; issued < config_.issue_width; ++issued) {
    const std::uint32_t slot = pick<Policy>(core, now);
    if (slot == no_slot)
      break;
    bool goes_on = issue<Policy>(core, slot, now);
    if (goes_on && config_.dual_issue && pairs(core, slot, now))
      goes_on = issue<Policy>(core, slot, now);
    if (goes_on)
      park(core, slot, now, 0);
  }
  if (issued == 0)
    return;
  ++issue_cycles_;
  core.next_slot = now + config_.issue_interval;
}

template <class Policy> std::uint32_t Sm::pick(SubCore& core, std::int64_t now) {
  while (const std::uint64_t candidates = core.awake & ~core.blocked) {
    const std::uint32_t slot = Policy::pick({candidates, core.older.data(), core.last_issued});
    const std::uint32_t unit = core.warps[slot].op->unit;
    if (cycle_of(core.free_at[unit]) <= now)
      return core.last_issued = slot;
    core.block(unit, core.free_at[unit]); // held since this or another sub-core used it
  }
  return no_slot;
}

namespace {

template <class Policy> SmResult run_sm(const SmWorkload& workload, TraceRecorder* trace) {
  Sm sm(workload, trace);
  return issues_one_a_cycle(workload.config) ? sm.run<Policy, true>() : sm.run<Policy, false>();
}

using RunSm = SmResult (*)(const SmWorkload&, TraceRecorder*);
// In the order of configs::SchedulerPolicy.
constexpr RunSm run_with[] = {run_sm<Lrr>, run_sm<Gto>, run_sm<Oldest>, run_sm<TwoLevel>};
constexpr RunSm run_observed[] = {run_sm<Observed<Lrr>>, run_sm<Observed<Gto>>, run_sm<Observed<Oldest>>,
                                  run_sm<Observed<TwoLevel>>};

SmResult simulate_exactly(const SmWorkload& workload) {
  return run_with[static_cast<std::size_t>(workload.config.scheduler)](workload, nullptr);
}

} // namespace

SmResult simulate_sm(const SmWorkload& workload) {
  SmResult result = simulate_under_load(workload, [](const SmWorkload& at_load) {
    return at_load.steady_error > 0 ? simulate_steadily(at_load, simulate_exactly)
                                    : simulate_exactly(at_load);
  });
  if (!workload.detail)
    result.ops.clear();
  return result;
}

SmTrace trace_sm(const SmWorkload& workload, std::size_t max_slices) {
  SmWorkload at_load = workload;
  if (workload.config.dram_load.limit > 0)
    at_load.config.dram_queueing = simulate_sm(workload).dram_queueing;
  TraceRecorder recorder(at_load, max_slices);
  run_observed[static_cast<std::size_t>(workload.config.scheduler)](at_load, &recorder);
  return std::move(recorder).trace();
}

} // namespace kerncast::engine
