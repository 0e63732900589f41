#include "interval_walk.h"

#include <algorithm>

namespace kerncast::analytical {

using machine::MachineOp;

void IntervalWalk::wait_until(double ready) {
  if (ready <= now_)
    return;
  last_ = {instructions_, ready - now_};
  counts_[last_] += 1;
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

void IntervalWalk::end_round(const Before& before, double times) {
  if (counts_.empty()) // no wait: the interval goes on through all rounds
    instructions_ += (times - 1) * (instructions_ - before.instructions);
  for (auto& [interval, count] : counts_)
    count *= times;
  for (const auto& [interval, count] : before.counts)
    counts_[interval] += count;
}

std::vector<Interval> IntervalWalk::finish() {
  wait_until(last_ready_);
  if (instructions_ > 0) {
    auto found = counts_.find(last_);
    if (found != counts_.end() && (found->second -= 1) <= 0)
      counts_.erase(found);
    counts_[{last_.first + instructions_, last_.second}] += 1;
  }
  std::vector<Interval> intervals;
  for (const auto& [interval, times] : counts_)
    intervals.push_back({.instructions = interval.first, .stall_cycles = interval.second, .times = times});
  return intervals;
}

} // namespace kerncast::analytical
