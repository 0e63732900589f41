// Issue of one instruction: the inner loop of the simulation, inline so that it and the scheduler become one
// function.
#pragma once

#include <utility>

#include "policies/observed.h"
#include "policies/policy.h"
#include "sm.h"

namespace kerncast::engine {

// std::max of values: of references it becomes a branch that is often mispredicted.
inline Time later(Time a, Time b) { return a < b ? b : a; }

// Issues the next instruction of the warp of that rank. Returns the cycle in which the one after it may
// issue, if nothing else takes its unit: never if there is none, or if the warp waits for others to let it
// go.
template <class Policy, Pace pace>
inline std::int64_t Sm::issue(SubCore& core, std::uint32_t rank, std::int64_t now) {
  Warp& warp = *core.warps[rank];
  const HotOp& op = *warp.op;
  Time& free_at = *core.unit_free_at[rank]; // that of its unit, known before the operation is
  core.take(core.state, rank, op);
  const Time start = execute_next<Policy, pace>(core, warp, op, free_at, now);
  if (warp.op == nullptr) {
    leave(warp, op, start, now);
    return WakeWheel::never;
  }
  const std::int64_t next = next_issue<pace>(warp, start, *core.units.free_at[warp.op->unit]);
  core.want(rank, *warp.op);
  if (op.kind == SmOpKind::barrier && warp.barrier != nullptr) {
    wait_at_barrier(warp, now);
    return WakeWheel::never;
  }
  return next;
}

// The warp is at the operation after it then. Returns when it issued.
template <class Policy, Pace pace>
inline Time Sm::execute_next(SubCore& core, Warp& warp, const HotOp& op, Time& free_at, std::int64_t now) {
  if constexpr (is_observed<Policy>)
    observe_issue(core, warp, start_of(warp, free_at, now));
  const Time start = charge_issue<pace>(warp, op, free_at, now);
  if (op.plain)
    execute_plain(warp, op, free_at, start);
  else if (op.plain_access)
    execute_access(warp, op, free_at, start);
  else
    execute(core, warp, op, start, now);
  advance(warp);
  return start;
}

// To the next operation of its path, or to none.
inline void Sm::advance(Warp& warp) {
  if (++warp.op == warp.end_op)
    enter_step(warp, warp.step + 1);
}

// The cycle in which the warp, whose last instruction issued at `issued`, may issue the one that it is at.
template <Pace pace> inline std::int64_t Sm::next_issue(Warp& warp, Time issued, Time unit_free_at) {
  const Time operands = find_operands(warp);
  const Time earliest = issued + (pace == Pace::lean ? one_cycle : issue_distance_);
  return cycle_of(later(later(earliest, unit_free_at), operands));
}

// When an instruction of the warp issues in cycle `now`.
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

// How long the operation holds its unit: an access without a wavefront for the issue alone.
inline Time Sm::held_interval(const Warp& warp, const HotOp& op) const {
  const bool only_issues = op.kind == SmOpKind::memory &&
                           !memory_.has_wavefronts(program_.request_pool[warp.requests + op.access]);
  return only_issues ? std::min(one_cycle, op.issue_interval) : op.issue_interval;
}

// Returns when the unit begins with the operation.
inline Time Sm::hold(const Warp& warp, const HotOp& op, Time& unit_free_at, Time issued) {
  const Time interval = held_interval(warp, op);
  if (interval != op.issue_interval)
    not_held_[op.unit] += op.issue_interval - interval;
  const Time queue = queues_[op.unit];
  const Time start = later(issued, unit_free_at + queue);
  unit_free_at = start + interval - queue;
  return start;
}

inline void Sm::note_load(const Warp& warp, Time done) {
  if (loads_.empty())
    return;
  const std::size_t place = place_of(warp);
  loads_[place * config_.loads_per_warp + loads_issued_[place]++ % config_.loads_per_warp] = done;
}

inline void Sm::execute_access(Warp& warp, const HotOp& op, Time& unit_free_at, Time issued) {
  const Time start = hold(warp, op, unit_free_at, issued);
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

// Dual issue: the next instruction goes in the same cycle if it is independent and its unit is free.
inline bool Sm::pairs(const SubCore& core, Warp& warp, std::int64_t now) {
  if (cycle_of(warp.operands) > now || cycle_of(*core.units.free_at[warp.op->unit]) > now)
    return false;
  warp.earliest -= issue_distance_; // begins with the instruction before
  return true;
}

// Over 256 cycles each sub-core is first as often as the others, also in every second, fourth, sixteenth ...
// alone: a unit of the SM that is free again after so many cycles serves all of them.
inline Turn Sm::turn_of(std::uint32_t sub_core, std::int64_t cycle) const {
  const auto now = static_cast<std::uint64_t>(cycle);
  const std::uint64_t first = now + (now >> 2) + (now >> 4) + (now >> 6);
  const std::uint64_t place = rotation_mask_ != 0 ? (sub_core - first) & rotation_mask_ // a division less
                                                  : (sub_core + sub_cores_ - first % sub_cores_) % sub_cores_;
  return {cycle, static_cast<std::uint32_t>(place), sub_core};
}

inline Time Sm::find_operands(Warp& warp) {
  const HotOp& op = *warp.op;
  const Time* const board = warp.ready_at;
  const Time first = later(later(board[op.sources[0]], board[op.sources[1]]),
                           later(board[op.sources[2]], board[op.sources[3]]));
  const Time operands = op.plain_operands ? first : later(first, late_operands(warp, op));
  warp.operands = operands;
  return operands;
}

// Charges the time since the warp's last issue: operands first, then issue distance, then a held unit, then
// other warps; and one cycle for the issue itself. Every part may be empty; nothing is charged twice.
// Returns when the instruction issues.
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
