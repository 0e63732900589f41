// Issue of one instruction: the inner loop of the simulation, inline so that it and the scheduler become one
// function.
#pragma once

#include <utility>

#include "policies/observed.h"
#include "policies/policy.h"
#include "sm.h"

namespace kerncast::engine {

inline void SubCore::release_units(std::int64_t now) {
  next_release = WakeWheel::never;
  for (std::uint64_t rest = awaited_units; rest != 0; rest &= rest - 1) {
    const std::uint32_t unit = first_slot(rest);
    const std::int64_t free_at = cycle_of(*units.free_at[unit]);
    if (free_at > now) { // held once more
      next_release = std::min(next_release, free_at);
      continue;
    }
    awake |= std::exchange(units.waiting[unit], 0);
    awaited_units ^= std::uint64_t{1} << unit;
  }
}

// std::max of values: of references it becomes a branch that is often mispredicted.
inline Time later(Time a, Time b) { return a < b ? b : a; }

// Issues the next instruction of the warp in `slot`. Returns whether the warp goes on to its next one: it has
// one, and does not wait at a barrier.
template <class Policy, Pace pace>
inline bool Sm::issue(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  const HotOp& op = *warp.op;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  core.awake &= ~bit;
  core.units.next_here[op.unit] &= ~bit;
  Time& free_at = *core.unit_free_at[slot]; // that of its unit, known before the operation is

  if constexpr (is_observed<Policy>)
    observe_issue(core, slot, start_of(warp, free_at, now));
  const Time start = charge_issue<pace>(warp, op, free_at, now);
  if (op.plain)
    execute_plain(warp, op, free_at, start);
  else if (op.plain_access)
    execute_access(warp, op, free_at, start);
  else
    execute(core, warp, op, start, now);

  if (++warp.op == warp.end_op)
    enter_step(warp, warp.step + 1);
  if (warp.op == nullptr) {
    leave(warp, op, start, now);
    return false;
  }
  find_operands(warp);
  core.want(slot, *warp.op);
  if (op.kind != SmOpKind::barrier || warp.barrier == nullptr)
    return true;
  wait_at_barrier(warp, now);
  return false;
}

// When an instruction of the warp starts that issues in cycle `now`.
inline Time Sm::start_of(const Warp& warp, Time unit_free_at, std::int64_t now) {
  return std::max(std::max(begin_of(now), warp.earliest),
                  std::max(without_reason(warp.operands), unit_free_at));
}

inline void Sm::execute_plain(Warp& warp, const HotOp& op, Time& unit_free_at, Time start) {
  unit_free_at = start + op.issue_interval;
  const Time result = because(start + op.latency, op.waits_as);
  warp.ready_at[op.destination] = result;
  warp.completed = std::max(warp.completed, result);
}

inline Time Sm::serve(const Warp& warp, const HotOp& op, Time start) {
  const std::uint64_t draw = warp.draw + warp.step * draw_of_step + op.access * draw_of_access;
  return memory_.serve(program_.request_pool[warp.requests + op.access], draw, start, op.port_time,
                       op.returns_data);
}

inline void Sm::execute_access(Warp& warp, const HotOp& op, Time& unit_free_at, Time start) {
  unit_free_at = start + op.issue_interval;
  const Time served = serve(warp, op, start);
  if (!is_known(served)) {
    await(warp, op, served);
    return;
  }
  const Time done = op.latency + served;
  if (op.returns_data)
    note_load(warp, done);
  const Time result = because(op.returns_data ? done : start, op.waits_as);
  warp.memory_completed = std::max(warp.memory_completed, done);
  warp.ready_at[op.destination] = result;
  warp.completed = std::max(warp.completed, result);
}

// The cycle in which the warp's next instruction may issue, if nothing else takes its unit.
inline std::int64_t Sm::wake_of(const SubCore& core, std::uint32_t slot) {
  const Warp& warp = core.warps[slot];
  const Time ready = later(warp.earliest, warp.operands);
  return cycle_of(later(ready, *core.unit_free_at[slot]));
}

// Dual issue: the next instruction goes in the same cycle if it is independent and its unit is free.
inline bool Sm::pairs(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  if (cycle_of(warp.operands) > now || cycle_of(*core.unit_free_at[slot]) > now)
    return false;
  warp.earliest -= issue_distance_; // begins with the instruction before
  return true;
}

inline void Sm::find_operands(Warp& warp) {
  const HotOp& op = *warp.op;
  const Time* const board = warp.ready_at;
  const Time operands = std::max(std::max(board[op.sources[0]], board[op.sources[1]]),
                                 std::max(board[op.sources[2]], board[op.sources[3]]));
  warp.operands = op.plain_operands ? operands : std::max(operands, late_operands(warp, op));
}

// Charges the time since the warp's last issue: operands first, then issue distance, then a held unit, then
// other warps; and one cycle for the issue itself. Every part may be empty; nothing is charged twice.
// Returns when the instruction starts.
template <Pace pace>
inline Time Sm::charge_issue(Warp& warp, const HotOp& op, Time unit_free_at, std::int64_t now) {
  OpCharges& charges = *op.charges;
  ++charges.issued;
  if constexpr (pace == Pace::lean) {
    const Time operands_end = std::max(warp.earliest, without_reason(warp.operands));
    const Time unit_end = std::max(operands_end, unit_free_at);
    const Time start = std::max(unit_end, begin_of(now));
    charges.time[reason_of(warp.operands)] += operands_end - warp.earliest;
    charges.operands_end += static_cast<std::uint64_t>(operands_end);
    charges.unit_end += static_cast<std::uint64_t>(unit_end);
    charges.selected += static_cast<std::uint64_t>(start);
    warp.earliest = warp.charged_to = start + one_cycle;
    return start;
  }
  const Time start = start_of(warp, unit_free_at, now);
  const Time operands_end = std::max(warp.charged_to, without_reason(warp.operands));
  const Time distance_end = std::max(operands_end, warp.earliest);
  const Time unit_end = std::max(distance_end, unit_free_at);
  const Time selected = std::max(unit_end, start);
  const Time issued_until = std::max(selected, start + one_cycle);
  charges.time[reason_of(warp.operands)] += operands_end - warp.charged_to;
  charges.operands_end += static_cast<std::uint64_t>(operands_end);
  charges.distance_end += static_cast<std::uint64_t>(distance_end);
  charges.unit_end += static_cast<std::uint64_t>(unit_end);
  charges.selected += static_cast<std::uint64_t>(selected);
  charges.issued_until += static_cast<std::uint64_t>(issued_until);
  warp.charged_to = issued_until;
  warp.earliest = start + issue_distance_;
  return start;
}

} // namespace kerncast::engine
