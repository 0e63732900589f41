// One warp of an SM: issue, execution, its way along its path, and where its cycles go.
#include <algorithm>
#include <cassert>

#include "sm.h"

namespace kerncast::engine {

void Sm::issue(std::uint32_t index, std::int64_t now, bool may_pair) {
  Warp& warp = warps_[index];
  const SmOp& op = program_.ops[warp.op];
  SubCore& core = cores_[warp.sub_core];
  core.ready[op.unit] &= ~(std::uint64_t{1} << warp.bit);
  if (core.ready[op.unit] == 0)
    core.units_wanted &= ~(std::uint64_t{1} << op.unit);

  UnitState& unit = units_[unit_index(warp.sub_core, op.unit)];
  const double start = std::max({static_cast<double>(now), warp.earliest, warp.operands, unit.earliest});
  charge_until_issue(warp, op, start, unit.earliest);
  unit.hold(start, op.issue_interval);
  result_.unit_busy_cycles[op.unit] += op.issue_interval;
  ++result_.warp_instructions;
  warp.earliest = start + config_.warp_issue_distance;
  execute(warp, index, op, start);
  if (++warp.op == warp.end_op)
    enter_step(warp, index, warp.step + 1);

  if (warp.at_barrier) {
    if (!finished(warp))
      find_operands(warp, index);
    if (ctas_[warp.cta].arrived == ctas_[warp.cta].live_warps)
      release_barrier(warp.cta, now);
    return;
  }
  if (finished(warp)) {
    finish_warp(index, now);
    return;
  }
  find_operands(warp, index);
  if (may_pair && can_pair(warp, now)) {
    warp.earliest = start;
    issue(index, now, false);
    return;
  }
  wait_for_operands(index, now);
}

// Dual issue: the warp's next instruction goes in the same cycle if it is independent and its unit is free.
bool Sm::can_pair(const Warp& warp, std::int64_t now) const {
  const auto cycle_end = static_cast<double>(now + 1);
  const UnitState& unit = units_[unit_index(warp.sub_core, program_.ops[warp.op].unit)];
  return warp.operands < cycle_end && unit.earliest < cycle_end;
}

void Sm::execute(Warp& warp, std::uint32_t index, const SmOp& op, double start) {
  double done = start + op.latency;
  switch (op.kind) {
  case SmOpKind::compute:
  case SmOpKind::fence:
  case SmOpKind::exit:
    break;
  case SmOpKind::barrier:
    arrive_at_barrier(index, op, start);
    return;
  case SmOpKind::memory: {
    const memory_model::Request& request =
        program_.requests[program_.request_pool[warp.requests + op.access]];
    done = op.latency +
           memory_.serve(request, start, op.issue_interval * port_cycles_[op.unit], op.returns_data);
    warp.memory_completed = std::max(warp.memory_completed, done);
    if (!op.returns_data)
      done = start;
    break;
  }
  }
  double* const board = scoreboard(index);
  WarpState* const why = reasons(index);
  const std::uint16_t* const slots = program_.slots.data() + op.slots + op.source_count;
  for (std::uint32_t i = 0; i < op.destination_count; ++i) {
    board[slots[i]] = done;
    why[slots[i]] = op.waits_as;
  }
  complete(warp, done, op.waits_as);
}

void Sm::complete(Warp& warp, double when, WarpState as) {
  if (when <= warp.completed)
    return;
  warp.completed = when;
  warp.completes_as = as;
}

// Goes to `step`, closing loops on the way, until a step with operations or the end of the path.
void Sm::enter_step(Warp& warp, std::uint32_t index, std::uint32_t step) {
  while (true) {
    const Step& at = program_.steps[step];
    warp.step = step;
    if (at.kind == Step::Kind::finish)
      return;
    if (at.kind == Step::Kind::run) {
      warp.op = at.first_op;
      warp.end_op = at.end_op;
      warp.requests = at.requests;
      return;
    }
    std::uint64_t& done = loop_counters_[std::size_t{index} * program_.loop_depth + at.depth];
    const bool again = ++done < at.count;
    done = again ? done : 0;
    step = again ? at.target : step + 1;
  }
}

void Sm::find_operands(Warp& warp, std::uint32_t index) {
  const SmOp& op = program_.ops[warp.op];
  const double* const board = scoreboard(index);
  const WarpState* const why = reasons(index);
  const std::uint16_t* const slots = program_.slots.data() + op.slots;
  warp.operands = 0;
  warp.waits_for = WarpState::wait;
  for (std::uint32_t i = 0; i < op.source_count; ++i)
    if (board[slots[i]] > warp.operands) {
      warp.operands = board[slots[i]];
      warp.waits_for = why[slots[i]];
    }
  if (op.kind == SmOpKind::fence && warp.memory_completed > warp.operands) {
    warp.operands = warp.memory_completed;
    warp.waits_for = WarpState::membar;
  }
}

void Sm::wait_for_operands(std::uint32_t index, std::int64_t now) {
  const Warp& warp = warps_[index];
  SubCore& core = cores_[warp.sub_core];
  const std::int64_t wake = cycle_of(std::max(warp.earliest, warp.operands));
  if (wake > now) {
    core.next_event = std::min(core.next_event, core.wheel.insert(warp.bit, wake, now));
    return;
  }
  const std::uint32_t unit = program_.ops[warp.op].unit;
  core.ready[unit] |= std::uint64_t{1} << warp.bit;
  core.units_wanted |= std::uint64_t{1} << unit;
}

// Charges the cycles since the warp's last issue: operands first, then a held unit, then other warps; and one
// cycle for the issue itself.
void Sm::charge_until_issue(Warp& warp, const SmOp& op, double start, double unit_free_at) {
  double from = warp.charged_to;
  const auto charge_to = [&](WarpState state, double until) {
    until = std::min(until, start);
    if (until <= from)
      return;
    charge(state, until - from);
    from = until;
  };
  charge_to(warp.waits_for, warp.operands);
  charge_to(WarpState::wait, warp.earliest);
  if (op.issue_interval > 1)
    charge_to(op.kind == SmOpKind::memory ? WarpState::lg_throttle : WarpState::math_pipe_throttle,
              unit_free_at);
  charge_to(WarpState::not_selected, start);
  const double issued_until = start + 1;
  if (issued_until > from) {
    charge(WarpState::issued, issued_until - from);
    from = issued_until;
  }
  warp.charged_to = from;
}

} // namespace kerncast::engine
