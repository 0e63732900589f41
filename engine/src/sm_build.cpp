// Lays out an SM's state for the inner loop.
#include <algorithm>
#include <cassert>

#include "sm.h"

namespace kerncast::engine {

Sm::Sm(const SmWorkload& workload, std::uint32_t (*pick)(const SchedulerView&))
    : workload_(workload), pick_(pick), config_(workload.config), program_(*workload.program),
      sub_cores_(workload.config.sub_cores), units_(static_cast<std::uint32_t>(workload.config.units.size())),
      warps_per_cta_(static_cast<std::uint32_t>(workload.kinds.at(0).warp_paths.size())), cores_(sub_cores_),
      ctas_(workload.resident_ctas), memory_(workload.config) {
  assert(units_ <= max_units && "a GPU description has at most so many units");
  result_.unit_busy_cycles.resize(units_);
  build_units();
  build_ops();
  build_warps();
}

void Sm::build_units() {
  std::size_t states = 0;
  for (const SmUnit& unit : config_.units)
    states += unit.scope == configs::UnitScope::sub_core ? sub_cores_ : 1;
  unit_states_.resize(states);
  std::size_t next = 0;
  for (std::uint32_t u = 0; u < units_; ++u) {
    const bool own = config_.units[u].scope == configs::UnitScope::sub_core;
    const std::uint32_t copies = own ? sub_cores_ : 1;
    for (std::uint32_t s = 0; s < sub_cores_; ++s)
      cores_[s].units[u] = &unit_states_[next + (own ? s : 0)];
    for (std::uint32_t c = 0; c < copies; ++c)
      if (config_.units[u].count > 1)
        unit_states_[next + c].pipeline_free_at.assign(config_.units[u].count, 0.0);
    next += copies;
  }
}

void Sm::build_ops() {
  const auto zero_slot = static_cast<std::uint16_t>(program_.slot_count);
  const auto discard_slot = static_cast<std::uint16_t>(program_.slot_count + 1);
  ops_.reserve(program_.ops.size());
  for (const SmOp& op : program_.ops) {
    const SmUnit& unit = config_.units[op.unit];
    const std::uint32_t copies = unit.scope == configs::UnitScope::sub_core ? sub_cores_ : 1;
    HotOp hot;
    hot.latency = op.latency;
    hot.issue_interval = op.issue_interval;
    // A port passes a wavefront a cycle, or as slowly as the unit's pipelines together feed it.
    hot.port_cycles = std::max(1.0, op.issue_interval *
                                        (static_cast<double>(config_.memory_ports) / (copies * unit.count)));
    hot.unit = op.unit;
    hot.access = op.access;
    hot.kind = op.kind;
    hot.waits_as = op.waits_as;
    if (op.issue_interval > 1)
      hot.throttled_as = op.kind == SmOpKind::memory ? WarpState::lg_throttle : WarpState::math_pipe_throttle;
    hot.returns_data = op.returns_data;
    const std::uint32_t sources = std::min<std::uint32_t>(op.source_count, HotOp::inline_sources);
    std::fill(std::begin(hot.sources), std::end(hot.sources), zero_slot);
    std::copy_n(program_.slots.begin() + op.slots, sources, hot.sources);
    hot.more_sources = static_cast<std::uint16_t>(op.source_count - sources);
    hot.more = op.slots + sources;
    hot.destination = discard_slot;
    if (op.destination_count > 0) {
      // The last destination is the inline one, so that the others follow the sources in the pool.
      hot.destination = program_.slots[op.slots + op.source_count + op.destination_count - 1U];
      hot.more_destinations = static_cast<std::uint16_t>(op.destination_count - 1);
    }
    ops_.push_back(hot);
  }
}

void Sm::build_warps() {
  const std::size_t warps = std::size_t{workload_.resident_ctas} * warps_per_cta_;
  assert(warps <= std::size_t{64} * sub_cores_ && "a scheduler's warps are bits of one word");
  const std::size_t slots = std::size_t{program_.slot_count} + 2; // zero and discard
  warps_.resize(warps);
  ready_at_.resize(warps * slots);
  reasons_.resize(warps * slots, WarpState::wait);
  loop_counters_.resize(warps * program_.loop_depth);
  for (std::size_t i = 0; i < warps; ++i) {
    warps_[i].ready_at = ready_at_.data() + i * slots;
    warps_[i].reasons = reasons_.data() + i * slots;
  }
}

} // namespace kerncast::engine
