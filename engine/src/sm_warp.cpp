// One warp of an SM: issue, execution, its way along its path, and where its cycles go.
#include <algorithm>

#include "sm.h"

namespace kerncast::engine {

void Sm::issue(Warp& warp, std::int64_t now, bool may_pair) {
  const HotOp& op = *warp.op;
  SubCore& core = cores_[warp.sub_core];
  core.ready[op.unit] &= ~(std::uint64_t{1} << warp.bit);

  UnitState& unit = *core.units[op.unit];
  const double start =
      std::max(std::max(static_cast<double>(now), warp.earliest), std::max(warp.operands, unit.earliest));
  charge_until_issue(warp, op, start, unit.earliest);
  unit.hold(start, op.issue_interval);
  result_.unit_busy_cycles[op.unit] += op.issue_interval;
  ++result_.warp_instructions;
  warp.earliest = start + config_.warp_issue_distance;
  execute(warp, op, start);
  if (++warp.op == warp.end_op)
    enter_step(warp, warp.step + 1);

  if (warp.at_barrier) {
    if (!finished(warp))
      find_operands(warp);
    if (ctas_[warp.cta].arrived == ctas_[warp.cta].live_warps)
      release_barrier(warp.cta, now);
    return;
  }
  if (warp.op == nullptr) {
    finish_warp(warp, now);
    return;
  }
  find_operands(warp);
  if (may_pair && can_pair(warp, now)) {
    warp.earliest = start;
    issue(warp, now, false);
    return;
  }
  wait_for_operands(warp, now);
}

// Dual issue: the warp's next instruction goes in the same cycle if it is independent and its unit is free.
bool Sm::can_pair(const Warp& warp, std::int64_t now) const {
  const auto cycle_end = static_cast<double>(now + 1);
  return warp.operands < cycle_end && cores_[warp.sub_core].units[warp.op->unit]->earliest < cycle_end;
}

void Sm::execute(Warp& warp, const HotOp& op, double start) {
  double done = start + op.latency;
  if (op.kind == SmOpKind::barrier) {
    arrive_at_barrier(warp, op.latency, start);
    return;
  }
  if (op.kind == SmOpKind::memory) {
    const memory_model::Request& request =
        program_.requests[program_.request_pool[warp.requests + op.access]];
    done = op.latency + memory_.serve(request, start, op.port_cycles, op.returns_data);
    warp.memory_completed = std::max(warp.memory_completed, done);
    if (!op.returns_data)
      done = start;
  }
  warp.ready_at[op.destination] = done;
  warp.reasons[op.destination] = op.waits_as;
  if (op.more_destinations != 0) {
    const std::uint16_t* const slots = program_.slots.data() + op.more + op.more_sources;
    for (std::uint32_t i = 0; i < op.more_destinations; ++i) {
      warp.ready_at[slots[i]] = done;
      warp.reasons[slots[i]] = op.waits_as;
    }
  }
  complete(warp, done, op.waits_as);
}

void Sm::complete(Warp& warp, double when, WarpState as) {
  warp.completes_as = when > warp.completed ? as : warp.completes_as;
  warp.completed = std::max(warp.completed, when);
}

// Goes to `step`, closing loops on the way, until a step with operations or the end of the path.
void Sm::enter_step(Warp& warp, std::uint32_t step) {
  std::uint64_t* const counters =
      loop_counters_.data() + static_cast<std::size_t>(&warp - warps_.data()) * program_.loop_depth;
  while (true) {
    const Step& at = program_.steps[step];
    warp.step = step;
    if (at.kind == Step::Kind::finish) {
      warp.op = nullptr;
      return;
    }
    if (at.kind == Step::Kind::run) {
      warp.op = ops_.data() + at.first_op;
      warp.end_op = ops_.data() + at.end_op;
      warp.requests = at.requests;
      return;
    }
    std::uint64_t& done = counters[at.depth];
    const bool again = ++done < at.count;
    done = again ? done : 0;
    step = again ? at.target : step + 1;
  }
}

void Sm::find_operands(Warp& warp) const {
  const HotOp& op = *warp.op;
  const double* const board = warp.ready_at;
  double operands = std::max(std::max(board[op.sources[0]], board[op.sources[1]]),
                             std::max(board[op.sources[2]], board[op.sources[3]]));
  if (op.more_sources != 0)
    for (std::uint32_t i = 0; i < op.more_sources; ++i)
      operands = std::max(operands, board[program_.slots[op.more + i]]);
  if (op.kind == SmOpKind::fence)
    operands = std::max(operands, warp.memory_completed);
  warp.operands = operands;
}

// What the operand that came last was waited for.
WarpState Sm::operand_wait(const Warp& warp) const {
  const HotOp& op = *warp.op;
  for (const std::uint16_t slot : op.sources)
    if (warp.ready_at[slot] == warp.operands)
      return warp.reasons[slot];
  for (std::uint32_t i = 0; i < op.more_sources; ++i)
    if (const std::uint16_t slot = program_.slots[op.more + i]; warp.ready_at[slot] == warp.operands)
      return warp.reasons[slot];
  return WarpState::membar;
}

void Sm::wait_for_operands(Warp& warp, std::int64_t now) {
  SubCore& core = cores_[warp.sub_core];
  const std::int64_t wake = cycle_of(std::max(warp.earliest, warp.operands));
  if (wake > now)
    core.next_event = std::min(core.next_event, core.wheel.insert(warp.bit, wake, now));
  else
    core.ready[warp.op->unit] |= std::uint64_t{1} << warp.bit;
}

// Charges the cycles since the warp's last issue: operands first, then a held unit, then other warps; and one
// cycle for the issue itself.
void Sm::charge_until_issue(Warp& warp, const HotOp& op, double start, double unit_free_at) {
  double from = warp.charged_to;
  const auto charge_to = [&](WarpState state, double until) {
    const double to = std::max(from, std::min(until, start));
    charge(state, to - from);
    from = to;
  };
  if (warp.operands > from)
    charge_to(operand_wait(warp), warp.operands);
  charge_to(WarpState::wait, warp.earliest);
  charge_to(op.throttled_as, unit_free_at);
  charge_to(WarpState::not_selected, start);
  const double issued_until = std::max(from, start + 1);
  charge(WarpState::issued, issued_until - from);
  warp.charged_to = issued_until;
}

} // namespace kerncast::engine
