// Barriers of the plain reference, and how warps end.
#pragma once

#include <algorithm>

#include "sm.h"
#include "waits.h"

namespace kerncast::engine::reference {

inline void finish(Sm& sm, Warp& w) {
  Cta& cta = sm.ctas[w.cta];
  w.alive = false;
  cta.end = std::max({cta.end, w.completed, w.issued_at + 1});
  if (--cta.live > 0)
    return;
  cta.ended = true;
  sm.last_end = std::max(sm.last_end, cta.end);
}

// The phase that the warp waits for ended at `ended`.
inline void let_go(Sm& sm, Warp& w, double ended) {
  const double latency = stepped(sm.program.ops[w.waiting_op].latency);
  const double released = std::max(std::max(ended, w.waits_since) + latency, sm.now + 1);
  w.at_barrier = false;
  w.earliest = std::max(w.earliest, released);
  w.completed = std::max(w.completed, released);
  if (sm.at_end(w))
    finish(sm, w);
}

inline std::vector<Warp*> waiting_warps(Sm& sm, std::uint32_t cta) {
  std::vector<Warp*> out;
  for (std::uint32_t i = 0; i < sm.per_cta; ++i)
    if (Warp& w = sm.warps[cta * sm.per_cta + i]; w.at_barrier)
      out.push_back(&w);
  return out;
}

// A new phase of a barrier begins and those go on that waited there. `ends`: because the old one was
// complete.
inline void end_phase(Sm& sm, Barrier& b, std::uint32_t number, bool ends,
                      const std::vector<Warp*>& waiting) {
  b = {.phases = b.phases + (ends ? 1 : 0), .ended = ends ? b.last : b.ended};
  for (Warp* w : waiting) {
    if (w->waits_at != number)
      continue;
    w->waits_done[number] += ends && w->only_waits ? 1 : 0;
    let_go(sm, *w, ends ? b.ended : 0);
  }
}

// Phases that are complete end. Where all warps of the CTA wait without one, the first one's barrier breaks.
inline void settle(Sm& sm, std::uint32_t number) {
  Cta& cta = sm.ctas[number];
  const auto complete = [&cta](const Barrier& b) {
    return b.arrived > 0 && b.arrived >= (b.expected != 0 ? b.expected : cta.live) &&
           b.delivered >= b.announced;
  };
  while (true) {
    const auto found = std::find_if(cta.barriers.begin(), cta.barriers.end(), complete);
    const std::vector<Warp*> waiting = waiting_warps(sm, number);
    const bool ends = found != cta.barriers.end();
    if (!ends && (waiting.empty() || waiting.size() < cta.live))
      return;
    const auto barrier =
        ends ? static_cast<std::uint32_t>(found - cta.barriers.begin()) : waiting.front()->waits_at;
    end_phase(sm, cta.barriers[barrier], barrier, ends, waiting);
  }
}

inline const BarrierUse& use_of(const Sm& sm, const Warp& w) {
  const SmOp& op = sm.op_of(w);
  const std::uint32_t by_step = sm.traced(w).requests + op.access;
  return sm.program.barrier_uses[op.barrier_by_step ? sm.program.request_pool[by_step] : op.barrier];
}

inline void arrive(Sm& sm, Warp& w, const BarrierUse& use, double start) {
  Barrier& b = sm.ctas[w.cta].barriers[use.barrier];
  if (use.arrivals != 0 || use.after_copies || use.announced_bytes != 0) {
    b.arrived += use.arrivals;
    b.expected = use.expected;
    b.announced += use.announced_bytes;
    const double copied = use.after_copies ? end_of_groups(w, AsyncKind::copies, all_groups) : 0;
    b.last = std::max({b.last, start, copied});
    if (use.announced_bytes != 0)
      w.announced_at = static_cast<int>(use.barrier);
  }
  w.at_barrier = use.waits;
  w.only_waits = use.arrivals == 0;
  w.waits_at = use.barrier;
  w.waits_since = start;
  w.waiting_op = sm.traced(w).op;
}

inline void deliver(Sm& sm, const Warp& w, std::uint64_t bytes, double done) {
  if (w.announced_at < 0)
    return;
  Barrier& b = sm.ctas[w.cta].barriers[static_cast<std::size_t>(w.announced_at)];
  b.delivered += bytes;
  b.last = std::max(b.last, done);
  settle(sm, w.cta);
}

// A warp that only waits goes on at once if the phase that it waits for has ended before.
inline void pass_if_phase_ended(Sm& sm, Warp& w) {
  const Barrier& b = sm.ctas[w.cta].barriers[w.waits_at];
  if (!w.only_waits || b.phases <= w.waits_done[w.waits_at])
    return;
  ++w.waits_done[w.waits_at];
  let_go(sm, w, b.phases == w.waits_done[w.waits_at] ? b.ended : 0);
}

} // namespace kerncast::engine::reference
