// Issue of one instruction: the inner loop of the simulation, inline so that it and the scheduler become one
// function.
#pragma once

#include "policies/observed.h"
#include "sm.h"

namespace kerncast::engine {

inline void SubCore::release_units(std::int64_t now) {
  std::uint64_t held_units = 0;
  std::uint64_t blocked_warps = 0;
  std::int64_t release = WakeWheel::never;
  for (std::uint64_t rest = busy_units; rest != 0; rest &= rest - 1) {
    const auto unit = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::int64_t free_at_cycle = cycle_of(free_at[unit]);
    // Masks instead of a branch, which would be wrong as often as not.
    const std::uint64_t held = free_at_cycle > now ? 1 : 0;
    held_units |= held << unit;
    blocked_warps |= on_unit[unit] & -held;
    release = std::min(release, held != 0 ? free_at_cycle : WakeWheel::never);
  }
  busy_units = held_units;
  blocked = blocked_warps;
  next_release = release;
}

// Issues the next instruction of the warp in `slot`. Returns whether the warp goes on to its next one: it has
// one, and does not wait at a barrier.
template <class Policy> bool Sm::issue(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  const HotOp& op = *warp.op;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  core.awake &= ~bit;
  core.on_unit[op.unit] &= ~bit;

  const Time unit_free_at = core.free_at[op.unit];
  const Time start =
      std::max(std::max(begin_of(now), warp.earliest), std::max(without_reason(warp.operands), unit_free_at));
  if constexpr (is_observed<Policy>)
    observe_issue(core, slot, start);
  charge_until_issue(warp, op, start, unit_free_at);
  warp.earliest = start + issue_distance_;
  if (op.plain)
    execute_plain(core, warp, op, start, now);
  else
    execute(core, warp, op, start, now);

  if (++warp.op == warp.end_op)
    enter_step(warp, warp.step + 1);
  if (warp.op == nullptr) {
    leave(warp, op, now);
    return false;
  }
  find_operands(warp);
  core.aim(bit, warp.op->unit);
  if (warp.barrier == nullptr)
    return true;
  wait_at_barrier(warp, now);
  return false;
}

inline void Sm::execute_plain(SubCore& core, Warp& warp, const HotOp& op, Time start, std::int64_t now) {
  const Time free_at = core.free_at[op.unit] = start + op.issue_interval;
  if (cycle_of(free_at) > now + 1)
    core.block(op.unit, free_at);
  const Time result = because(start + op.latency, op.waits_as);
  warp.ready_at[op.destination] = result;
  warp.completed = std::max(warp.completed, result);
}

// Whether the warp, which issued last, can issue its next instruction at `now` without anything that other
// sub-cores could notice or that ends its step.
inline bool Sm::can_run_on(const SubCore& core, const Warp& warp, std::int64_t now) const {
  const HotOp& op = *warp.op;
  const Time free_at = std::max(std::max(warp.earliest, warp.operands), core.free_at[op.unit]);
  return (static_cast<int>(cycle_of(free_at) <= now) & static_cast<int>(op.plain) &
          static_cast<int>(warp.op + 1 != warp.end_op)) != 0;
}

// A greedy scheduler stays with its warp: the instructions that this one can issue in the following cycles
// issue here, ahead of the other sub-cores. Returns the cycle of the last one.
inline std::int64_t Sm::issue_run(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  if (WakeWheel::ends_block(now) || !can_run_on(core, warp, now + 1))
    return now;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  core.on_unit[warp.op->unit] &= ~bit;
  do {
    ++now;
    const HotOp& op = *warp.op;
    const Time unit_free_at = core.free_at[op.unit];
    const Time start = std::max(std::max(begin_of(now), warp.earliest),
                                std::max(without_reason(warp.operands), unit_free_at));
    charge_until_issue(warp, op, start, unit_free_at);
    warp.earliest = start + issue_distance_;
    execute_plain(core, warp, op, start, now);
    ++warp.op;
    find_operands(warp);
  } while (!WakeWheel::ends_block(now) && can_run_on(core, warp, now + 1));
  core.blocked &= ~bit;
  core.aim(bit, warp.op->unit);
  core.awake |= core.wheel.take_through(now);
  if (core.next_release <= now)
    core.release_units(now);
  return now;
}

// The warp waits for the cycle in which its next instruction may issue: awake if that is at most
// `stays_awake` cycles away, else asleep.
inline void Sm::park(SubCore& core, std::uint32_t slot, std::int64_t now, std::int64_t stays_awake) {
  const Warp& warp = core.warps[slot];
  const std::int64_t wake = cycle_of(std::max(warp.earliest, warp.operands));
  if (wake <= now + stays_awake)
    core.awake |= std::uint64_t{1} << slot;
  else
    core.wheel.insert(slot, wake, now);
}

// Dual issue: the next instruction goes in the same cycle if it is independent and its unit is free.
inline bool Sm::pairs(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  if (cycle_of(warp.operands) > now || cycle_of(core.free_at[warp.op->unit]) > now)
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
inline void Sm::charge_until_issue(Warp& warp, const HotOp& op, Time start, Time unit_free_at) {
  OpCharges& charges = *op.charges;
  const Time operands_end = std::max(warp.charged_to, without_reason(warp.operands));
  const Time distance_end = std::max(operands_end, warp.earliest);
  const Time unit_end = std::max(distance_end, unit_free_at);
  const Time selected = std::max(unit_end, start);
  const Time issued_until = std::max(selected, start + one_cycle);
  ++charges.issued;
  charges.time[reason_of(warp.operands)] += operands_end - warp.charged_to;
  charges.operands_end += static_cast<std::uint64_t>(operands_end);
  charges.distance_end += static_cast<std::uint64_t>(distance_end);
  charges.unit_end += static_cast<std::uint64_t>(unit_end);
  charges.selected += static_cast<std::uint64_t>(selected);
  charges.issued_until += static_cast<std::uint64_t>(issued_until);
  warp.charged_to = issued_until;
}

} // namespace kerncast::engine
