// One warp of an SM: what is rare on its way along its path.
#include <algorithm>

#include "sm_issue.h"

namespace kerncast::engine {

// Any operation.
void Sm::execute(SubCore& core, Warp& warp, const HotOp& op, Time start, std::int64_t now) {
  hold_unit(core, op, start, now);
  if (op.kind == SmOpKind::memory)
    execute_memory(warp, op, start);
  else if (op.kind == SmOpKind::barrier)
    arrive_at_barrier(warp, op, start);
  else
    write_results(warp, op, start + op.latency);
}

// Of a unit of the whole SM every sub-core must know.
void Sm::hold_unit(SubCore& core, const HotOp& op, Time start, std::int64_t now) {
  const bool shared = config_.units[op.unit].scope == configs::UnitScope::sm;
  const std::size_t own = static_cast<std::size_t>(&core - cores_.data());
  Pipelines& pipelines = pipelines_[op.unit * sub_cores_ + (shared ? 0 : own)];
  const Time free_at =
      pipelines.free_at.empty() ? start + op.issue_interval : pipelines.hold(start, op.issue_interval);
  for (std::size_t i = shared ? 0 : own; i < (shared ? sub_cores_ : own + 1); ++i) {
    cores_[i].free_at[op.unit] = free_at;
    if (cycle_of(free_at) > now + 1)
      cores_[i].block(op.unit, free_at);
  }
}

void Sm::execute_memory(Warp& warp, const HotOp& op, Time start) {
  const std::uint32_t request = program_.request_pool[warp.requests + op.access];
  const Time done = op.latency + memory_.serve(request, start, op.port_time, op.returns_data);
  warp.memory_completed = std::max(warp.memory_completed, done);
  write_results(warp, op, op.returns_data ? done : start);
}

void Sm::write_results(Warp& warp, const HotOp& op, Time done) const {
  const Time result = because(done, op.waits_as);
  warp.ready_at[op.destination] = result;
  const std::uint16_t* const slots = program_.slots.data() + op.more + op.more_sources;
  for (std::uint32_t i = 0; i < op.more_destinations; ++i)
    warp.ready_at[slots[i]] = result;
  warp.completed = std::max(warp.completed, result);
}

// When the sources beyond the inline ones are there, and for a fence all memory operations before it.
Time Sm::late_operands(const Warp& warp, const HotOp& op) const {
  Time operands = op.kind == SmOpKind::fence ? because(warp.memory_completed, WarpState::membar) : 0;
  for (std::uint32_t i = 0; i < op.more_sources; ++i)
    operands = std::max(operands, warp.ready_at[program_.slots[op.more + i]]);
  return operands;
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

} // namespace kerncast::engine
