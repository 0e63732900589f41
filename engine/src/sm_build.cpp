// Lays out an SM's state for the inner loop.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "sm.h"

namespace kerncast::engine {

std::uint32_t warps_per_slot(const SmWorkload& workload) {
  std::size_t common = workload.kinds.at(0).warp_paths.size();
  for (const CtaKind& kind : workload.kinds)
    common = std::gcd(common, kind.warp_paths.size());
  return static_cast<std::uint32_t>(common);
}

Sm::Sm(const SmWorkload& workload, TraceRecorder* trace, std::optional<std::uint32_t> remote_sm)
    : workload_(workload), config_(workload.config), program_(*workload.program),
      sub_cores_(workload.config.sub_cores),
      rotation_mask_((sub_cores_ & (sub_cores_ - 1)) == 0 ? sub_cores_ - 1 : 0),
      units_(static_cast<std::uint32_t>(workload.config.units.size())),
      warps_per_slot_(warps_per_slot(workload)),
      issue_distance_(to_time(workload.config.warp_issue_distance)), cores_(sub_cores_),
      turns_((sub_cores_ + sub_cores_at_once - 1) / sub_cores_at_once * sub_cores_at_once),
      ctas_(workload.resident_ctas), replaces_ctas_(!remote_sm),
      instructions_(workload.config, program_.ops.size()),
      memory_(workload.config, program_.requests, remote_sm.has_value()), begun_(remote_sm.value_or(0)),
      sequence_(&workload.ctas), residency_(workload.detail), trace_(trace) {
  assert(units_ <= max_units && sub_cores_ <= max_sub_cores && "a GPU description has at most so many");
  build_units();
  build_ops();
  build_warps();
  build_barriers_and_groups();
  lookahead_ = lookahead();
}

void Sm::build_units() {
  for (SubCore& core : cores_)
    core.units.count = units_;
  unit_free_at_.resize(std::size_t{units_} * sub_cores_);
  for (const SmUnit& unit : config_.units)
    queues_.push_back(to_time(unit.queue));
  not_held_.resize(units_);
  pipelines_.resize(unit_free_at_.size());
  for (std::uint32_t u = 0; u < units_; ++u)
    for (std::uint32_t s = 0; s < sub_cores_; ++s) {
      const std::size_t own = config_.units[u].scope == configs::UnitScope::sm ? 0 : s;
      cores_[s].units.free_at[u] = &unit_free_at_[u * sub_cores_ + own];
      unit_free_at_[u * sub_cores_ + s] = -queues_[u];
      if (config_.units[u].count > 1)
        pipelines_[u * sub_cores_ + s].free_at.assign(config_.units[u].count, -queues_[u]);
    }
}

Time& Pipelines::first() { return *std::min_element(free_at.begin(), free_at.end()); }

static bool has_cross_latency(const SmProgram& program) {
  return std::any_of(program.ops.begin(), program.ops.end(),
                     [](const SmOp& op) { return op.cross_latency != 0; });
}

void Sm::build_ops() {
  charges_.resize(program_.ops.size());
  ops_.reserve(program_.ops.size());
  const bool by_consumer = has_cross_latency(program_) || instructions_.enabled();
  for (const SmOp& op : program_.ops) {
    ops_.push_back(build_op(op, by_consumer));
    ops_.back().charges = &charges_[ops_.size() - 1];
  }
  mark_local_ops();
}

// The end of a warp is the whole SM's business.
void Sm::mark_local_ops() {
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    if (program_.steps[i].kind != Step::Kind::run)
      continue;
    std::size_t next = i + 1;
    while (program_.steps[next].kind == Step::Kind::loop_end)
      ++next;
    if (program_.steps[next].kind == Step::Kind::finish)
      ops_[program_.steps[i].end_op - 1].local = false;
  }
}

static WarpState throttle_state(const SmOp& op) {
  if (op.kind != SmOpKind::memory)
    return WarpState::math_pipe_throttle;
  return op.waits_as == WarpState::long_scoreboard ? WarpState::lg_throttle : WarpState::mio_throttle;
}

HotOp Sm::build_op(const SmOp& op, bool by_consumer) const {
  const auto zero_slot = static_cast<std::uint16_t>(program_.slot_count);
  const auto discard_slot = static_cast<std::uint16_t>(program_.slot_count + 1);
  const SmUnit& unit = config_.units[op.unit];
  const double copies = unit.scope == configs::UnitScope::sub_core ? sub_cores_ : 1; // of the unit
  HotOp hot;
  hot.latency = to_time(op.latency);
  hot.issue_interval = to_time(op.issue_interval);
  // A port passes a wavefront a cycle, or as slowly as the unit's pipelines together feed it.
  hot.port_time = to_time(std::max(1.0, op.issue_interval * (config_.memory_ports / (copies * unit.count))));
  hot.unit = op.unit;
  hot.access = op.access;
  hot.kind = op.kind;
  hot.waits_as = op.waits_as;
  // Elsewhere a unit is free again before the scheduler could use it: waiting for it is waiting for the
  // choice.
  if (op.issue_interval > 1 || unit.scope == configs::UnitScope::sm)
    hot.throttled_as = throttle_state(op);
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
  hot.async = op.async;
  const bool simple_kind =
      op.kind == SmOpKind::compute || op.kind == SmOpKind::fence || op.kind == SmOpKind::exit;
  const bool limited_load = op.kind == SmOpKind::memory && op.returns_data && config_.loads_per_warp != 0;
  hot.plain = simple_kind && op.async == AsyncKind::none && hot.more_destinations == 0 && !by_consumer &&
              unit.count == 1 && unit.queue == 0;
  hot.local = hot.plain && unit.scope == configs::UnitScope::sub_core;
  hot.plain_access = op.kind == SmOpKind::memory && op.async == AsyncKind::none &&
                     hot.more_destinations == 0 && !by_consumer && unit.count == 1;
  hot.plain_operands = op.kind != SmOpKind::fence && op.kind != SmOpKind::wait_group && !limited_load &&
                       hot.more_sources == 0 && !by_consumer;
  return hot;
}

void Sm::build_warps() {
  const std::uint32_t warps = workload_.resident_ctas * warps_per_slot_;
  assert(warps <= max_warps_per_sub_core * sub_cores_ && "a scheduler's warps are bits of one word");
  const std::size_t slots = std::size_t{program_.slot_count} + 2; // zero and discard
  warps_.resize(std::size_t{max_warps_per_sub_core} * sub_cores_);
  ready_at_.resize(warps * slots);
  loop_counters_.resize(warps_.size() * program_.loop_depth);
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp& warp = warp_of(i);
    SubCore& core = cores_[i % sub_cores_];
    warp.ready_at = ready_at_.data() + i * slots;
    warp.rank = core.slots++;
    core.warps[warp.rank] = &warp;
  }
}

void Sm::build_barriers_and_groups() {
  for (const BarrierUse& use : program_.barrier_uses)
    barriers_per_cta_ = std::max(barriers_per_cta_, use.barrier + 1);
  barriers_.resize(ctas_.size() * barriers_per_cta_);
  waits_done_.resize(warps_.size() * barriers_per_cta_);
  for ([[maybe_unused]] const SmOp& op : program_.ops)
    assert((op.kind != SmOpKind::barrier || op.barrier < program_.barrier_uses.size()) &&
           "a barrier operation says what it does");
  for (const SmOp& op : program_.ops)
    if (op.kind == SmOpKind::wait_group || op.async != AsyncKind::none)
      groups_kept_ = std::max(groups_kept_, op.keep == all_groups ? 1U : op.keep + 1U);
  if (groups_kept_ != 0)
    groups_.resize(warps_.size() * async_groups * (groups_kept_ + 1));
  committed_.resize(warps_.size() * async_groups);
  loads_.resize(warps_.size() * config_.loads_per_warp);
  loads_issued_.resize(warps_.size());
  if (instructions_.enabled())
    fetched_line_.resize(warps_.size());
  fetched_at_.resize(fetched_line_.size());
  if (has_cross_latency(program_))
    cross_times_.resize(ready_at_.size());
}

} // namespace kerncast::engine
