// Issue of one instruction in the plain reference.
#pragma once

#include <algorithm>

#include "barriers.h"

namespace kerncast::engine::reference {

// When a result is there: for operations of the same unit, and of others.
struct Done {
  double same = 0, elsewhere = 0;
};

inline bool is_async(const SmOp& op) {
  return op.async != AsyncKind::none && (op.kind == SmOpKind::memory || op.kind == SmOpKind::compute);
}

inline double access(Sm& sm, Warp& w, const SmOp& op, double start) {
  const SmConfig& config = sm.work.config;
  const SmUnit& unit = config.units[op.unit];
  const double pipelines = sm.copies(unit) * unit.count;
  const double hold = stepped(std::max(1.0, op.issue_interval * (config.memory_ports / pipelines)));
  const std::uint32_t place = sm.traced(w).requests + op.access;
  const std::uint64_t draw = (w.age + 1) * draw_of_warp + op.access * draw_of_access + sm.traced(w).draw;
  const memory_model::Request request =
      Memory::level_of(sm.program.requests[sm.program.request_pool[place]], draw);
  const double done = stepped(op.latency) + sm.memory.serve(request, start, hold, op.returns_data);
  if (is_async(op))
    return done;
  w.memory_completed = std::max(w.memory_completed, done);
  if (op.returns_data)
    w.loads.push_back(done);
  return op.returns_data ? done : start;
}

inline Done execute(Sm& sm, Warp& w, const SmOp& op, double start) {
  if (op.kind == SmOpKind::memory) {
    const double done = access(sm, w, op, start);
    return {done, done};
  }
  if (op.kind == SmOpKind::commit) {
    const auto kind = static_cast<std::size_t>(op.async);
    w.closed[kind].push_back(latest(w.open[kind]));
    w.open[kind].clear();
  }
  const double done = start + stepped(op.latency);
  const bool cross = op.kind == SmOpKind::compute && op.cross_latency != 0;
  return {done, cross ? start + stepped(op.cross_latency) : done};
}

inline void write_results(Sm& sm, Warp& w, const SmOp& op, const Done& done) {
  w.completed = std::max(w.completed, done.same);
  if (is_async(op)) {
    if (op.async == AsyncKind::transactions)
      deliver(sm, w, op.delivered_bytes, done.same);
    else
      w.open[static_cast<std::size_t>(op.async)].push_back(done.same);
    return;
  }
  for (std::uint32_t i = 0; i < op.destination_count; ++i) {
    const std::uint16_t slot = sm.program.slots[op.slots + op.source_count + i];
    w.board[slot] = done.same;
    w.board_elsewhere[slot] = done.elsewhere;
    w.writer[slot] = op.unit;
  }
}

// How long the operation holds its unit.
inline double held(Sm& sm, const Warp& w, const SmOp& op) {
  if (op.kind != SmOpKind::memory)
    return stepped(op.issue_interval);
  const std::uint32_t request = sm.program.request_pool[sm.traced(w).requests + op.access];
  const bool only_issues = sm.program.requests[request].wavefronts == 0;
  return only_issues ? std::min(1.0, stepped(op.issue_interval)) : stepped(op.issue_interval);
}

// Returns when the instruction issues; its unit begins with it when it is free.
inline double issue(Sm& sm, std::uint32_t index) {
  Warp& w = sm.warps[index];
  const SmOp& op = sm.op_of(w);
  std::vector<double>& free = sm.pipelines(index, op);
  auto pipe = std::min_element(free.begin(), free.end());
  const double queue = stepped(sm.work.config.units[op.unit].queue);
  const double issued = std::max({sm.now, w.earliest, operands(sm, w), *pipe - queue});
  const double start = std::max(issued, *pipe);
  *pipe = start + held(sm, w, op);
  w.earliest = issued + stepped(sm.work.config.warp_issue_distance);
  const bool is_barrier = op.kind == SmOpKind::barrier;
  const BarrierUse use = is_barrier ? use_of(sm, w) : BarrierUse{.waits = false};
  if (is_barrier)
    arrive(sm, w, use, start);
  else
    write_results(sm, w, op, execute(sm, w, op, start));
  ++w.next;
  w.issued_at = issued;
  if (sm.at_end(w) && sm.work.config.warp_end == configs::WarpEnd::last_issue)
    w.completed = issued + stepped(op.issue_interval);
  fetch(sm, w);
  if (use.waits)
    pass_if_phase_ended(sm, w);
  else if (sm.at_end(w))
    finish(sm, w);
  settle(sm, w.cta);
  return issued;
}

} // namespace kerncast::engine::reference
