// What an SM does about data whose time of arrival others tell: until then the scoreboard, the groups and the
// barriers that wait for them hold an unknown time, and warps that would need it are in no wheel.
#include <algorithm>
#include <utility>

#include "sm_issue.h"

namespace kerncast::engine {

// The inner loop knows rates only.
void Sm::decide_by(KnownAccesses* known) {
  known_ = known;
  for (HotOp& op : ops_)
    op.plain_access = op.plain_access && known == nullptr;
}

// Hits and misses by what L1 holds where the access's addresses are known.
Time Sm::serve_known(const Warp& warp, const HotOp& op, Time start) {
  const std::uint32_t request = program_.request_pool[warp.requests + op.access];
  if (program_.requests[request].sectors == 0) // shared memory, or no lane is active
    return serve(warp, op, start);
  const KnownAccesses::Found found =
      known_->look_up(index_of(warp), static_cast<std::uint32_t>(&op - ops_.data()), start);
  if (found.where == KnownAccesses::Where::unknown)
    return serve(warp, op, start);
  const Time served = memory_.serve_known(request, found, start, op.port_time, op.returns_data);
  if (!is_known(served))
    known_->await(found.access, unknown_number(served));
  return served;
}

// The data of a memory operation come at an unknown time.
void Sm::await(Warp& warp, const HotOp& op, Time unknown) {
  const std::uint32_t number = unknown_number(unknown);
  if (awaited_.size() <= number)
    awaited_.resize(number + 1);
  Awaited& awaited = awaited_[number] = {&warp, &op, 0, delivered_bytes(warp, op)};
  ++warp.awaited;
  warp.awaited_copies += op.async != AsyncKind::none ? 1 : 0;
  if (op.async == AsyncKind::transactions) {
    awaited.group = warp.announced_at;
    ++ctas_[warp.cta].awaited_deliveries;
  } else if (op.async != AsyncKind::none) {
    awaited.group = groups_kept_ == 0 ? 0 : committed_of(warp, op.async);
  } else {
    note_load(warp, unknown);
    write_slots(warp, op, unknown, unknown);
  }
}

void Sm::arrive(std::uint32_t number, Time at, std::int64_t now) {
  memory_.remote().arrive(number, at);
  const Awaited awaited = std::exchange(awaited_[number], {});
  if (awaited.warp == nullptr)
    return;
  Warp& warp = *awaited.warp;
  const HotOp& op = *awaited.op;
  const Time done = at + op.latency;
  --warp.awaited;
  warp.awaited_copies -= op.async != AsyncKind::none ? 1 : 0;
  if (warp.op != nullptr || !ends_at_last_issue())
    warp.completed = std::max(warp.completed, because(done, op.waits_as));
  if (op.async == AsyncKind::transactions) {
    --ctas_[warp.cta].awaited_deliveries;
    deliver(warp.cta, awaited.group, awaited.bytes, done, now);
  } else if (op.async != AsyncKind::none) {
    end_of_copy(warp, op.async, awaited.group, done, now);
  } else {
    warp.memory_completed = std::max(warp.memory_completed, done);
    replace_unknown(warp, op, unknown_time(number), done);
  }
  go_on(warp, now);
}

// The warp may have been waiting for what has come.
void Sm::go_on(Warp& warp, std::int64_t now) {
  if (warp.last != nullptr) {
    if (warp.awaited == 0) {
      --ctas_[warp.cta].draining_warps;
      end_warp(warp, std::exchange(warp.last, nullptr));
    }
    return;
  }
  if (warp.op == nullptr || is_known(warp.operands))
    return;
  find_operands(warp);
  if (warp.barrier == nullptr && is_known(warp.operands))
    wake_later(warp, std::max(warp.earliest, warp.operands), now);
}

// The CTA has ended without what is still on its way to its warps, whose places others take.
void Sm::forget_awaited(std::uint32_t cta) {
  for (Awaited& awaited : awaited_) {
    if (awaited.warp == nullptr || awaited.warp->cta != cta)
      continue;
    awaited.warp->awaited = awaited.warp->awaited_copies = 0;
    awaited = {};
  }
  std::erase_if(late_arrivals_, [cta](const LateArrival& late) { return late.warp->cta == cta; });
}

// Where nothing newer has been written in the meantime.
void Sm::replace_unknown(Warp& warp, const HotOp& op, Time unknown, Time done) {
  const auto replace = [&](std::uint16_t slot) {
    if (without_reason(warp.ready_at[slot]) == unknown)
      write_slot(warp, op, slot, done, done);
  };
  replace(op.destination);
  const std::uint16_t* const slots = program_.slots.data() + op.more + op.more_sources;
  for (std::uint32_t i = 0; i < op.more_destinations; ++i)
    replace(slots[i]);
  if (config_.loads_per_warp == 0)
    return;
  const auto loads = loads_.begin() + static_cast<std::ptrdiff_t>(place_of(warp) * config_.loads_per_warp);
  std::replace(loads, loads + config_.loads_per_warp, unknown, done);
}

// Of any group up to the newest but `keep`.
bool Sm::awaits_copies(const Warp& warp, AsyncKind kind, std::uint16_t keep) const {
  if (warp.awaited_copies == 0 || groups_kept_ == 0)
    return false;
  const std::uint32_t committed = committed_of(warp, kind);
  return std::any_of(awaited_.begin(), awaited_.end(), [&](const Awaited& awaited) {
    return awaited.warp == &warp && awaited.op->async == kind &&
           (keep == all_groups || awaited.group + keep < committed);
  });
}

void Sm::end_of_copy(Warp& warp, AsyncKind kind, std::uint32_t group, Time done, std::int64_t now) {
  if (groups_kept_ != 0) {
    Time* const open = groups_of(warp, kind);
    const std::uint32_t committed = committed_of(warp, kind);
    if (group == committed)
      *open = std::max(*open, done);
    for (std::uint32_t k = 0; k < groups_kept_ && group + k < committed; ++k)
      open[1 + k] = std::max(open[1 + k], done);
  }
  if (late_arrivals_.empty() || awaits_copies(warp, AsyncKind::copies, all_groups))
    return;
  const Time copied = end_of_groups(warp, AsyncKind::copies, all_groups);
  for (const LateArrival& late : late_arrivals_)
    if (late.warp == &warp) {
      --ctas_[warp.cta].awaited_deliveries;
      arrive_at_barrier(warp, program_.barrier_uses[late.use], std::max(late.start, copied));
    }
  std::erase_if(late_arrivals_, [&](const LateArrival& late) { return late.warp == &warp; });
  settle_barriers(warp.cta, now);
}

} // namespace kerncast::engine
