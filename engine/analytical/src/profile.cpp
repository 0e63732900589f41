#include "analytical/profile.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "engine/l2_rates.h"
#include "engine/request_of.h"
#include "interval_walk.h"
#include "single_warp.h"

namespace kerncast::analytical {
namespace {

using machine::MachineOp;
using machine::OpKind;
using tasklist::BlockVisit;
using tasklist::PathNode;

// Rounds walked of a repeated part. Deeper inside, two will do, so that the walk stays short.
constexpr std::uint64_t rounds_walked(std::uint32_t depth) { return depth < 3 ? 16 : 2; }

// Pipelines of a unit on the whole SM.
double pipelines_per_sm(const configs::Unit& unit, const configs::Gpu& gpu) {
  return double{1} * unit.count * (unit.scope == configs::UnitScope::sub_core ? gpu.sub_cores_per_sm : 1);
}

// Shared memory and the constant cache are part of the SM.
bool leaves_the_sm(const MachineOp& op) {
  using tasklist::Space;
  return op.kind == OpKind::memory && op.space != Space::shared && op.space != Space::constant &&
         op.space != Space::param;
}

// One operation of one visit.
struct OpOnSm {
  memory_model::Request request = {}; // of memory operations
  OpCost in_sub_core = {};
  double interval_per_sm = 0;
  bool leaves_the_sm = false;
};

class Profiler {
public:
  explicit Profiler(const ProfileInput& input)
      : in_(input), warp_(input.program, input.gpu), computing_(input.program, input.gpu),
        intervals_(input.program), units_(input.gpu.units.size()) {
    for (std::size_t u = 0; u < units_.size(); ++u)
      units_[u].name = input.gpu.units[u].name;
  }

  KernelProfile run() {
    const std::span<const PathNode> nodes = in_.behaviour.paths[in_.path].nodes;
    walk(nodes, 0);
    count(nodes, 1);
    const auto keep = [this](const SubsystemLoad& load) {
      if (load.cycles_per_warp > 0)
        result_.subsystems.push_back(load);
    };
    std::ranges::for_each(units_, keep);
    keep(l2_.cycles_per_warp < l2_requests_.cycles_per_warp ? l2_requests_ : l2_);
    keep(dram_);
    result_.issue_limit = double{1} * in_.gpu.sub_cores_per_sm * in_.gpu.issue_width / in_.gpu.issue_interval;
    result_.critical_path_latency = warp_.end();
    result_.compute_path_latency = computing_.end();
    result_.intervals = intervals_.finish();
    result_.memory_latency = memory_latency();
    fill_loaded_memory();
    return std::move(result_);
  }

private:
  // Calls f(visit) or g(count, body) for each node of the list itself, not for those inside repeats.
  template <class F, class G> void for_each_node(std::span<const PathNode> nodes, F&& f, G&& g) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == PathNode::Kind::visit) {
        f(in_.behaviour.visits[nodes[i].visit]);
      } else {
        g(nodes[i].count, nodes.subspan(i + 1, nodes[i].length));
        i += nodes[i].length;
      }
    }
  }

  template <class F> void for_each_op(const BlockVisit& visit, F&& f) {
    const machine::MachineBlock& block = in_.program.blocks[visit.block];
    for (const MachineOp& op : std::span(in_.program.ops).subspan(block.first_op, block.op_count))
      f(op);
  }

  memory_model::Request request(const BlockVisit& visit, const MachineOp& op) {
    return in_.request_of(op, engine::shape_of(op, visit, in_.behaviour));
  }

  void walk(std::span<const PathNode> nodes, std::uint32_t depth) {
    for_each_node(
        nodes, [&](const BlockVisit& visit) { walk_block(visit); },
        [&](std::uint64_t rounds, std::span<const PathNode> body) { walk_repeat(rounds, body, depth); });
  }

  void walk_repeat(std::uint64_t rounds, std::span<const PathNode> body, std::uint32_t depth) {
    const std::uint64_t walked = std::min(rounds, rounds_walked(depth));
    const std::uint64_t left = rounds - walked;
    double last_round = 0;
    double last_computing_round = 0;
    for (std::uint64_t i = 0; i < walked; ++i) {
      const double before = warp_.end();
      const double computing_before = computing_.end();
      const IntervalWalk::Before earlier = intervals_.begin_round();
      walk(body, depth + 1);
      intervals_.end_round(earlier, i + 1 == walked ? static_cast<double>(left + 1) : 1);
      last_round = warp_.end() - before;
      last_computing_round = computing_.end() - computing_before;
    }
    warp_.advance(static_cast<double>(left) * last_round);
    computing_.advance(static_cast<double>(left) * last_computing_round);
  }

  // What an operation costs one warp in its sub-core, and all warps of the SM together.
  OpOnSm on_sm(const BlockVisit& visit, const MachineOp& op) {
    OpOnSm r{.in_sub_core = {op.latency, machine::held_cycles(op)}, .leaves_the_sm = leaves_the_sm(op)};
    if (op.kind == OpKind::memory) {
      r.request = request(visit, op);
      r.in_sub_core.latency += r.request.latency;
      r.in_sub_core.issue_interval *= r.request.wavefronts;
    }
    r.interval_per_sm = r.in_sub_core.issue_interval / pipelines_per_sm(in_.gpu.units[op.unit], in_.gpu);
    r.in_sub_core.issue_interval /= in_.gpu.units[op.unit].count;
    return r;
  }

  void walk_block(const BlockVisit& visit) {
    for_each_op(visit, [&](const MachineOp& op) {
      const OpOnSm on = on_sm(visit, op);
      warp_.execute(op, on.in_sub_core);
      if (on.leaves_the_sm) {
        computing_.execute_at_once(op);
        intervals_.access(op, on.in_sub_core.latency);
        return;
      }
      computing_.execute(op, on.in_sub_core);
      if (op.kind != OpKind::barrier)
        intervals_.compute(op, on.interval_per_sm);
    });
  }

  void count(std::span<const PathNode> nodes, double times) {
    for_each_node(
        nodes, [&](const BlockVisit& visit) { count_block(visit, times); },
        [&](std::uint64_t rounds, std::span<const PathNode> body) {
          count(body, times * static_cast<double>(rounds));
        });
  }

  void count_block(const BlockVisit& visit, double times) {
    for_each_op(visit, [&](const MachineOp& op) {
      const OpOnSm on = on_sm(visit, op);
      const bool has_result = !in_.program.destinations(op).empty();
      if (op.kind == OpKind::memory)
        count_bytes(on.request, times);
      if (on.leaves_the_sm && has_result)
        count_wait(on, times);
      add(units_[op.unit], times, on.interval_per_sm, 1, on.leaves_the_sm);
      result_.instructions += times;
      count_kind(op.kind, on, times, has_result);
    });
  }

  // One of computations, accesses to memory and barriers. A computation without result ends when its unit is
  // free.
  void count_kind(OpKind kind, const OpOnSm& on, double times, bool has_result) {
    if (kind == OpKind::barrier) {
      result_.barriers += times;
    } else if (on.leaves_the_sm) {
      result_.memory_instructions += times;
      memory_without_result_ += has_result ? 0 : times;
    } else {
      result_.compute_instructions += times;
      result_.compute_latency +=
          times * (has_result ? on.in_sub_core.latency : on.in_sub_core.issue_interval);
    }
  }

  void count_bytes(const memory_model::Request& r, double times) {
    const double sms = in_.gpu.sms;
    const engine::L2RequestWay requests = engine::l2_requests_of(in_.gpu, 1);
    const engine::L2Ways<double> l2 = engine::l2_load(engine::l2_access(r, r.l2_bytes * sms), requests);
    add(l2_, times, l2.data, in_.gpu.l2_bytes_per_clock(), true);
    add(l2_requests_, times, l2.requests, requests.bytes_per_clock, true);
    add(dram_, times, r.dram_bytes * sms, in_.gpu.dram_bytes_per_clock(), true);
    dram_bytes_ += times * r.dram_bytes;
  }

  void count_wait(const OpOnSm& on, double times) {
    waited_latency_ += times * on.in_sub_core.latency;
    const double requested = double{1} * on.request.sectors * in_.gpu.l1.sector_bytes;
    const double read = on.request.dram_bytes * (1 - on.request.dram_written);
    if (requested > 0)
      result_.loaded_memory.accesses += times * std::min(1.0, read / requested);
  }

  // An access without result is under way as long as one with it, without any such as long as one to DRAM.
  double memory_latency() const {
    const double waited_for = result_.memory_instructions - memory_without_result_;
    const double mean = waited_for > 0 ? waited_latency_ / waited_for : in_.gpu.dram_latency();
    return waited_latency_ + memory_without_result_ * mean;
  }

  // Accesses that overlap are waited for once.
  void fill_loaded_memory() {
    LoadedMemory& m = result_.loaded_memory;
    const configs::LoadedLatency& loaded = in_.gpu.dram.loaded_latency;
    m.unloaded_latency = in_.gpu.dram_latency();
    m.a = m.unloaded_latency;
    m.b = loaded.a > 0 ? m.unloaded_latency * loaded.b / loaded.a : 0;
    m.c = loaded.c * in_.gpu.dram.bandwidth_gbps * in_.gpu.dram.sustained_fraction;
    const double waiting = result_.critical_path_latency - result_.compute_path_latency;
    m.accesses *= waited_latency_ > 0 ? std::clamp(waiting / waited_latency_, 0.0, 1.0) : 0;
    m.gbps_per_warp_rate = dram_bytes_ * in_.gpu.sms * in_.gpu.clock_mhz * 1e-3;
  }

  // `amount` per instruction through a subsystem that manages `rate` per cycle; a rate of 0 is unlimited.
  static void add(SubsystemLoad& load, double times, double amount, double rate, bool memory) {
    if (amount <= 0 || rate <= 0)
      return;
    load.instructions += times;
    load.cycles_per_warp += times * amount / rate;
    load.memory_cycles_per_warp += memory ? times * amount / rate : 0;
  }

  const ProfileInput& in_;
  SingleWarp warp_;
  SingleWarp computing_; // the same while memory answers at once
  IntervalWalk intervals_;
  KernelProfile result_;
  std::vector<SubsystemLoad> units_;
  SubsystemLoad l2_{.name = "l2_bandwidth"};
  SubsystemLoad l2_requests_{.name = "l2_bandwidth"};
  SubsystemLoad dram_{.name = "dram_bandwidth"};
  double dram_bytes_ = 0;
  double waited_latency_ = 0; // of accesses with a result
  double memory_without_result_ = 0;
};

} // namespace

KernelProfile profile(const ProfileInput& input) { return Profiler(input).run(); }

} // namespace kerncast::analytical
