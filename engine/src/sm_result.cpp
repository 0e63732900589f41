// What a simulation reports, from what the SM counted on the way.
#include <algorithm>
#include <optional>

#include "sm.h"

namespace kerncast::engine {

namespace {

// Lean runs leave out the sums that follow from others: no warp waits for its issue distance, and every issue
// takes one cycle.
void complete(OpCharges& charges) {
  charges.distance_end = charges.operands_end;
  charges.issued_until = charges.selected + charges.issued * static_cast<std::uint64_t>(one_cycle);
}

std::array<Time, warp_states> time_by_state(const HotOp& op, const OpCharges& charges) {
  std::array<Time, warp_states> time = charges.time;
  const auto add = [&time](WarpState state, std::uint64_t begins, std::uint64_t ends) {
    time[static_cast<std::size_t>(state)] += static_cast<Time>(ends - begins);
  };
  add(WarpState::wait, charges.operands_end, charges.distance_end);
  add(op.throttled_as, charges.distance_end, charges.unit_end);
  add(WarpState::not_selected, charges.unit_end, charges.selected);
  add(WarpState::issued, charges.selected, charges.issued_until);
  return time;
}

// Conversion loses nothing: multiples of 2^-15 cycles below 2^38.
OpResult op_result(const HotOp& op, Pace pace) {
  OpCharges charges = *op.charges;
  if (pace == Pace::lean)
    complete(charges);
  OpResult out;
  out.issued = charges.issued;
  const std::array<Time, warp_states> time = time_by_state(op, charges);
  std::transform(time.begin(), time.end(), out.state_cycles.begin(), to_cycles);
  return out;
}

} // namespace

std::uint64_t Sm::issued() const {
  std::uint64_t sum = 0;
  for (const OpCharges& op : charges_)
    sum += op.issued;
  return sum;
}

SmResult Sm::result() const {
  SmResult out;
  out.cycles = to_cycles(std::max(last_end_, memory_.drained_at()));
  const std::optional<Time> triggered = dependents_.triggered();
  const std::optional<Time> waited = dependents_.waited();
  out.trigger_cycles = triggered ? to_cycles(*triggered) : out.cycles;
  out.prologue_cycles = waited ? to_cycles(*waited) : out.cycles;
  out.resident_warp_cycles = to_cycles(resident_time_);
  out.memory_port_cycles = to_cycles(memory_.port_time());
  out.residency = residency_.result();
  out.broken_barriers = broken_barriers_;
  out.unit_busy_cycles.resize(units_);
  std::vector<Time> busy(units_);
  for (const HotOp& op : ops_) {
    out.ops.push_back(op_result(op, pace()));
    out.warp_instructions += op.charges->issued;
    busy[op.unit] += static_cast<Time>(op.charges->issued) * op.issue_interval;
    for (std::size_t s = 0; s < warp_states; ++s)
      out.warp_state_cycles[s] += out.ops.back().state_cycles[s];
  }
  out.simulated_warp_instructions = out.warp_instructions;
  out.issue_cycles = static_cast<double>(issues_one_a_cycle(config_) ? out.warp_instructions : issue_cycles_);
  std::transform(busy.begin(), busy.end(), not_held_.begin(), out.unit_busy_cycles.begin(),
                 [](Time intervals, Time not_held) { return to_cycles(intervals - not_held); });
  out.l2_bytes = memory_.l2_bytes();
  const L2Ways<double> l2_load = memory_.l2_load();
  out.l2_data_bytes = l2_load.data;
  out.l2_request_bytes = l2_load.requests;
  out.l2_fetched_bytes = memory_.l2_fetched_bytes();
  out.dram_bytes = memory_.dram_bytes();
  out.hottest_turns = memory_.hottest_turns();
  out.dram_queueing = config_.dram_queueing;
  return out;
}

} // namespace kerncast::engine
