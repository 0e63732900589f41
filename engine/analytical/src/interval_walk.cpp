#include "interval_walk.h"

#include <algorithm>

namespace kerncast::analytical {

using machine::MachineOp;

void IntervalWalk::wait_until(double ready) {
  if (ready <= now_)
    return;
  counts_[{instructions_, ready - now_}] += 1;
  instructions_ = 0;
  now_ = ready;
}

void IntervalWalk::wait_for_sources(const MachineOp& op) {
  double ready = op.kind == machine::OpKind::fence ? last_ready_ : 0;
  for (const std::uint16_t slot : program_.sources(op))
    ready = std::max(ready, slot_ready_[slot]);
  wait_until(ready);
}

void IntervalWalk::compute(const MachineOp& op, double cycles) {
  wait_for_sources(op);
  now_ += cycles;
  instructions_ += 1;
  for (const std::uint16_t slot : program_.destinations(op))
    slot_ready_[slot] = now_;
}

void IntervalWalk::access(const MachineOp& op, double latency) {
  wait_for_sources(op);
  for (const std::uint16_t slot : program_.destinations(op)) {
    slot_ready_[slot] = now_ + latency;
    last_ready_ = std::max(last_ready_, now_ + latency);
  }
}

void IntervalWalk::put(const Counts& counts, double times) {
  for (const auto& [interval, count] : counts)
    counts_[interval] += times * count;
}

std::vector<Interval> IntervalWalk::finish() {
  wait_until(last_ready_);
  if (instructions_ > 0)
    counts_[{instructions_, 0}] += 1;
  std::vector<Interval> intervals;
  for (const auto& [interval, times] : counts_)
    intervals.push_back({.instructions = interval.first, .stall_cycles = interval.second, .times = times});
  return intervals;
}

} // namespace kerncast::analytical
