// Barriers of CTAs: named and partial ones, mbarriers with the copies that deliver to them, clusters'.
//
// A phase ends with the last arrival or delivery; a warp goes on the operation's latency later. Barriers that
// the program uses wrongly, or of which the launch's behaviour shows too little, would never end a phase:
// when all warps of a CTA wait, the barrier of the first of them lets its warps go, and that is counted. (A
// producer's first wait for an empty buffer is meant to pass so: its later waits are then for one phase
// less.) Left out: the cluster's other CTAs, which are taken to arrive as this one does.
#include <algorithm>
#include <utility>

#include "sm_issue.h"

namespace kerncast::engine {

void Sm::execute_barrier(Warp& warp, const HotOp& op, Time start, std::int64_t now) {
  const SmOp& details = cold(op);
  const std::uint32_t number =
      details.barrier_by_step ? program_.request_pool[warp.requests + op.access] : details.barrier;
  const BarrierUse& use = program_.barrier_uses[number];
  if (use.arrivals != 0 || use.after_copies || use.announced_bytes != 0) {
    const Time copied = use.after_copies ? end_of_groups(warp, AsyncKind::copies, all_groups) : 0;
    if (is_known(copied)) {
      arrive_at_barrier(warp, use, std::max(start, copied));
    } else {
      ++ctas_[warp.cta].awaited_deliveries;
      late_arrivals_.push_back({&warp, number, start});
    }
  }
  if (!use.waits) {
    settle_barriers(warp.cta, now);
    return;
  }
  warp.barrier = &op;
  warp.waits_since = start;
  warp.waits_at = use.barrier;
  warp.only_waits = use.arrivals == 0;
}

void Sm::arrive_at_barrier(Warp& warp, const BarrierUse& use, Time at) {
  Barrier& barrier = barrier_of(warp.cta, use.barrier);
  barrier.arrived += use.arrivals;
  barrier.expected = use.expected;
  barrier.announced_bytes += use.announced_bytes;
  barrier.last_arrival = std::max(barrier.last_arrival, at);
  if (use.announced_bytes != 0)
    warp.announced_at = use.barrier;
}

// A copy that the barrier was announced has ended.
void Sm::deliver(std::uint32_t cta, std::uint32_t number, std::uint64_t bytes, Time done, std::int64_t now) {
  if (number == no_barrier)
    return;
  Barrier& barrier = barrier_of(cta, number);
  barrier.delivered_bytes += bytes;
  barrier.last_arrival = std::max(barrier.last_arrival, done);
  settle_barriers(cta, now);
}

// The warp has issued an operation that waits and stands at its next one.
void Sm::wait_at_barrier(Warp& warp, std::int64_t now) {
  ++ctas_[warp.cta].waiting;
  const Barrier& barrier = barrier_of(warp.cta, warp.waits_at);
  std::uint32_t& done = waits_done_of(warp);
  if (warp.only_waits && barrier.phases > done) {
    ++done;
    let_go(warp, barrier.phases == done ? barrier.ended_at : 0, now);
  }
  settle_barriers(warp.cta, now);
}

// Ends the phases that are complete. No scheduler sees that in the cycle of the last arrival, whether it acts
// before or after.
void Sm::settle_barriers(std::uint32_t cta, std::int64_t now) {
  while (true) {
    std::uint32_t barrier = 0;
    while (barrier < barriers_per_cta_ && !phase_is_complete(barrier_of(cta, barrier), cta))
      ++barrier;
    if (barrier < barriers_per_cta_)
      end_phase(cta, barrier, now);
    else if (ctas_[cta].waiting != 0 && ctas_[cta].waiting == ctas_[cta].live_warps &&
             ctas_[cta].awaited_deliveries == 0)
      break_barrier(cta, now);
    else
      return;
  }
}

bool Sm::phase_is_complete(const Barrier& barrier, std::uint32_t cta) const {
  const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : ctas_[cta].live_warps;
  return barrier.arrived != 0 && barrier.arrived >= expected &&
         barrier.delivered_bytes >= barrier.announced_bytes;
}

void Sm::end_phase(std::uint32_t cta, std::uint32_t number, std::int64_t now) {
  Barrier& barrier = barrier_of(cta, number);
  barrier = {.phases = barrier.phases + 1, .ended_at = barrier.last_arrival};
  visit_warps(cta, [&](Warp& warp) {
    if (warp.barrier == nullptr || warp.waits_at != number)
      return;
    waits_done_of(warp) += warp.only_waits ? 1 : 0;
    let_go(warp, barrier.ended_at, now);
  });
}

void Sm::break_barrier(std::uint32_t cta, std::int64_t now) {
  ++broken_barriers_;
  std::uint32_t broken = no_barrier;
  visit_warps(cta, [&](Warp& warp) {
    if (warp.barrier == nullptr || (broken != no_barrier && warp.waits_at != broken))
      return;
    broken = warp.waits_at;
    let_go(warp, 0, now);
  });
  Barrier& barrier = barrier_of(cta, broken);
  barrier = {.phases = barrier.phases, .ended_at = barrier.ended_at};
}

// The phase that the warp waits for ended at `ended`.
void Sm::let_go(Warp& warp, Time ended, std::int64_t now) {
  const HotOp& barrier = *std::exchange(warp.barrier, nullptr);
  --ctas_[warp.cta].waiting;
  const Time released = std::max(std::max(ended, warp.waits_since) + barrier.latency, begin_of(now + 1));
  const Time until = std::max(warp.charged_to, released);
  if (trace_ != nullptr)
    observe_wait(warp, barrier, WarpState::barrier, until);
  barrier.charges->time[static_cast<std::size_t>(WarpState::barrier)] += until - warp.charged_to;
  warp.charged_to = until;
  warp.earliest = std::max(warp.earliest, released);
  warp.completed = std::max(warp.completed, because(released, WarpState::barrier));
  if (warp.op == nullptr)
    finish_warp(warp, &barrier);
  else
    wake_later(warp, std::max(warp.earliest, warp.operands), now);
}

} // namespace kerncast::engine
