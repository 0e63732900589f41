// What a simulation reports, from what the SM counted on the way.
#include <algorithm>

#include "sm.h"

namespace kerncast::engine {

SmResult Sm::result() const {
  SmResult out;
  out.cycles = to_cycles(std::max(last_end_, memory_.drained_at()));
  out.resident_warp_cycles = to_cycles(resident_time_);
  out.issue_cycles = static_cast<double>(issue_cycles_);
  out.memory_port_cycles = to_cycles(memory_.port_time());
  out.unit_busy_cycles.resize(units_);
  std::array<Time, warp_states> charged{};
  std::vector<Time> busy(units_);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    out.warp_instructions += charges_[i].issued;
    busy[ops_[i].unit] += static_cast<Time>(charges_[i].issued) * ops_[i].issue_interval;
    for (std::size_t s = 0; s < warp_states; ++s)
      charged[s] += charges_[i].time[s];
  }
  std::transform(charged.begin(), charged.end(), out.warp_state_cycles.begin(), to_cycles);
  std::transform(busy.begin(), busy.end(), out.unit_busy_cycles.begin(), to_cycles);
  for (std::size_t i = 0; i < program_.requests.size(); ++i) {
    const auto served = static_cast<double>(memory_.served(static_cast<std::uint32_t>(i)));
    out.l2_bytes += served * program_.requests[i].l2_bytes;
    out.dram_bytes += served * program_.requests[i].dram_bytes;
  }
  return out;
}

} // namespace kerncast::engine
