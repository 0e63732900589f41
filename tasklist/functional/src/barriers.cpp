#include "barriers.h"

#include <bit>

#include <fmt/format.h>

namespace kerncast::functional {

using warp::BarrierOp;
using warp::LaneMask;
using warp::Pool;

void Barriers::start(std::uint32_t warps, std::uint32_t threads) {
  barriers_ = {};
  waiting_.assign(warps, false);
  live_ = warps;
  threads_ = threads;
  phase_ended_ = false;
}

bool Barriers::arrive(std::uint32_t number, Warp& warp) {
  const BarrierOp& op = warp.barrier();
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.arrived()));
  const std::uint32_t which = warp.file().lanes<std::uint32_t>(op.number.index)[lane];
  if (which >= BarrierOp::barriers_per_cta) {
    fault_ = {fmt::format("barrier {} does not exist", which), "a CTA has barriers 0 to 15",
              warp.barrier_line(), number, lane};
    return false;
  }
  Barrier& barrier = barriers_[which];
  const std::uint32_t threads =
      op.threads.pool == Pool::none ? threads_ : warp.file().lanes<std::uint32_t>(op.threads.index)[lane];
  const std::uint32_t warps = (threads + 31) / 32, all = (threads_ + 31) / 32;
  barrier.expected = warps == all ? 0 : warps; // more than there are never come
  ++barrier.arrived;
  if (op.condition.pool == Pool::predicate) {
    const LaneMask flip = op.condition_negated ? warp::all_lanes : 0;
    const LaneMask truth = warp.file().predicate(op.condition.index) ^ flip;
    barrier.true_lanes += static_cast<std::uint32_t>(std::popcount(truth & warp.arrived()));
    barrier.false_lanes += static_cast<std::uint32_t>(std::popcount(~truth & warp.arrived()));
  }
  if (op.kind != BarrierOp::Kind::arrive) {
    waiting_[number] = true;
    barrier.waiting.push_back(&warp);
    barrier.numbers.push_back(number);
  }
  complete_if_full(barrier);
  return true;
}

void Barriers::leave() {
  --live_;
  for (Barrier& barrier : barriers_)
    complete_if_full(barrier);
}

bool Barriers::take_phase_end() {
  const bool ended = phase_ended_;
  phase_ended_ = false;
  return ended;
}

void Barriers::complete_if_full(Barrier& barrier) {
  const std::uint32_t expected = barrier.expected == 0 ? live_ : barrier.expected;
  if (barrier.arrived == 0 || barrier.arrived < expected)
    return;
  phase_ended_ = phase_ended_ || barrier.expected == 0;
  for (Warp* warp : barrier.waiting)
    give_result(barrier, *warp);
  for (const std::uint32_t number : barrier.numbers)
    waiting_[number] = false;
  barrier = {};
}

void Barriers::give_result(const Barrier& barrier, Warp& warp) {
  const BarrierOp& op = warp.barrier();
  if (op.destination.pool == Pool::word) {
    auto& lanes = warp.file().lanes<std::uint32_t>(op.destination.index);
    for (LaneMask left = warp.arrived(); left != 0; left &= left - 1)
      lanes[static_cast<std::uint32_t>(std::countr_zero(left))] = barrier.true_lanes;
  } else if (op.destination.pool == Pool::predicate) {
    const bool result =
        op.kind == BarrierOp::Kind::all_true ? barrier.false_lanes == 0 : barrier.true_lanes != 0;
    LaneMask& bits = warp.file().predicate(op.destination.index);
    bits = (bits & ~warp.arrived()) | (result ? warp.arrived() : 0);
  }
}

} // namespace kerncast::functional
