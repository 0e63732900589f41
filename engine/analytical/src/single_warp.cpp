#include "single_warp.h"

#include <algorithm>

namespace kerncast::analytical {

void SingleWarp::execute(const machine::MachineOp& op, const OpCost& cost) {
  double issue = std::max(next_issue_, unit_free_[op.unit]);
  for (const std::uint16_t slot : program_.sources(op))
    issue = std::max(issue, slot_ready_[slot]);
  if (op.kind == machine::OpKind::barrier || op.kind == machine::OpKind::fence)
    issue = std::max(issue, end_);
  next_issue_ = issue + issue_distance_;
  unit_free_[op.unit] = issue + cost.issue_interval;
  const auto destinations = program_.destinations(op);
  for (const std::uint16_t slot : destinations)
    slot_ready_[slot] = issue + cost.latency;
  const bool has_result = !destinations.empty() || op.kind == machine::OpKind::barrier;
  end_ = std::max(end_, issue + (has_result ? cost.latency : cost.issue_interval));
}

void SingleWarp::execute_at_once(const machine::MachineOp& op) {
  double issue = next_issue_;
  for (const std::uint16_t slot : program_.sources(op))
    issue = std::max(issue, slot_ready_[slot]);
  next_issue_ = issue;
  for (const std::uint16_t slot : program_.destinations(op))
    slot_ready_[slot] = issue;
  end_ = std::max(end_, issue);
}

void SingleWarp::advance(double cycles) {
  next_issue_ += cycles;
  end_ += cycles;
  for (double& ready : slot_ready_)
    ready += cycles;
  for (double& free : unit_free_)
    free += cycles;
}

} // namespace kerncast::analytical
