// Issue of one instruction: the inner loop of the simulation, inline so that it and the scheduler become one
// function.
#pragma once

#include "sm.h"

namespace kerncast::engine {

// Issues the next instruction of the warp in `slot`. Returns whether the warp goes on to its next one: it has
// one, and does not wait at a barrier.
inline bool Sm::issue(SubCore& core, std::uint32_t slot, std::int64_t now) {
  Warp& warp = core.warps[slot];
  const HotOp& op = *warp.op;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  core.awake &= ~bit;
  core.on_unit[op.unit] &= ~bit;

  const Time unit_free_at = core.free_at[op.unit];
  const Time start = std::max(std::max(begin_of(now), warp.earliest),
                              std::max(without_reason(warp.operands), unit_free_at));
  charge_until_issue(warp, op, start, unit_free_at);
  hold_unit(core, op, start, now);
  warp.earliest = start + issue_distance_;
  if (op.kind == SmOpKind::memory)
    execute_memory(warp, op, start);
  else if (op.kind == SmOpKind::barrier)
    arrive_at_barrier(warp, op, start);
  else
    write_results(warp, op, start + op.latency);

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
  release_barrier_if_complete(warp.cta, now);
  return false;
}

// The warp waits, awake or asleep, for the cycle in which its next instruction may issue.
inline void Sm::park(SubCore& core, std::uint32_t slot, std::int64_t now) {
  const Warp& warp = core.warps[slot];
  const std::int64_t wake = cycle_of(std::max(warp.earliest, warp.operands));
  if (wake <= now + stays_awake_)
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

inline void Sm::hold_unit(SubCore& core, const HotOp& op, Time start, std::int64_t now) {
  if (!op.plain_unit) {
    hold_special_unit(core, op, start, now);
    return;
  }
  const Time free_at = core.free_at[op.unit] = start + op.issue_interval;
  if (cycle_of(free_at) > now + 1)
    core.block(op.unit, free_at);
}

inline void Sm::write_results(Warp& warp, const HotOp& op, Time done) {
  const Time result = because(done, op.waits_as);
  warp.ready_at[op.destination] = result;
  if (op.more_destinations != 0)
    write_more_results(warp, op, result);
  warp.completed = std::max(warp.completed, result);
}

inline void Sm::find_operands(Warp& warp) const {
  const HotOp& op = *warp.op;
  const Time* const board = warp.ready_at;
  Time operands = std::max(std::max(board[op.sources[0]], board[op.sources[1]]),
                           std::max(board[op.sources[2]], board[op.sources[3]]));
  if (op.more_sources != 0)
    for (std::uint32_t i = 0; i < op.more_sources; ++i)
      operands = std::max(operands, board[program_.slots[op.more + i]]);
  if (op.kind == SmOpKind::fence)
    operands = std::max(operands, because(warp.memory_completed, WarpState::membar));
  warp.operands = operands;
}

// Charges the time since the warp's last issue: operands first, then issue distance, then a held unit, then
// other warps; and one cycle for the issue itself. Every part may be empty; nothing is charged twice.
inline void Sm::charge_until_issue(Warp& warp, const HotOp& op, Time start, Time unit_free_at) {
  OpCharges& charges = charges_of(op);
  ++charges.issued;
  const auto charge = [&charges](std::size_t state, Time from, Time to) { charges.time[state] += to - from; };
  const auto index = [](WarpState state) { return static_cast<std::size_t>(state); };
  const Time from = warp.charged_to;
  const Time operands = std::max(from, without_reason(warp.operands));
  const Time may_issue = std::max(operands, warp.earliest);
  const Time unit_free = std::max(may_issue, unit_free_at);
  const Time selected = std::max(unit_free, start);
  const Time issued = std::max(selected, start + one_cycle);
  charge(reason_of(warp.operands), from, operands);
  charge(index(WarpState::wait), operands, may_issue);
  charge(index(op.throttled_as), may_issue, unit_free);
  charge(index(WarpState::not_selected), unit_free, selected);
  charge(index(WarpState::issued), selected, issued);
  warp.charged_to = issued;
}

} // namespace kerncast::engine
