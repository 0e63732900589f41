#include "analytical/profile.h"

#include <algorithm>
#include <cassert>
#include <span>

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

class Profiler {
public:
  explicit Profiler(const ProfileInput& input)
      : in_(input), warp_(input.program, input.gpu), units_(input.gpu.units.size()) {
    for (std::size_t u = 0; u < units_.size(); ++u)
      units_[u].name = input.gpu.units[u].name;
  }

  KernelProfile run() {
    const std::span<const PathNode> nodes = in_.behaviour.paths[in_.path].nodes;
    walk(nodes, 0);
    count(nodes, 1);
    KernelProfile result;
    const auto keep = [&result](const SubsystemLoad& load) {
      if (load.cycles_per_warp > 0)
        result.subsystems.push_back(load);
    };
    std::ranges::for_each(units_, keep);
    keep(l2_);
    keep(dram_);
    result.instructions = instructions_;
    result.issue_limit = double{1} * in_.gpu.sub_cores_per_sm * in_.gpu.issue_width / in_.gpu.issue_interval;
    result.critical_path_latency = warp_.end();
    return result;
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
    assert(op.access < visit.accesses.count && "a visit has an address shape for every memory operation");
    const std::uint32_t shape = in_.behaviour.access_pool[visit.accesses.begin + op.access];
    return in_.request_of(op, in_.behaviour.shapes[shape]);
  }

  void walk(std::span<const PathNode> nodes, std::uint32_t depth) {
    for_each_node(
        nodes, [&](const BlockVisit& visit) { walk_block(visit); },
        [&](std::uint64_t rounds, std::span<const PathNode> body) { walk_repeat(rounds, body, depth); });
  }

  void walk_repeat(std::uint64_t rounds, std::span<const PathNode> body, std::uint32_t depth) {
    const std::uint64_t walked = std::min(rounds, rounds_walked(depth));
    double last_round = 0;
    for (std::uint64_t i = 0; i < walked; ++i) {
      const double before = warp_.end();
      walk(body, depth + 1);
      last_round = warp_.end() - before;
    }
    warp_.advance(static_cast<double>(rounds - walked) * last_round);
  }

  void walk_block(const BlockVisit& visit) {
    for_each_op(visit, [&](const MachineOp& op) {
      OpCost cost{op.latency, op.issue_interval};
      if (op.kind == OpKind::memory) {
        const memory_model::Request r = request(visit, op);
        cost.latency += r.latency;
        cost.issue_interval *= r.wavefronts;
      }
      cost.issue_interval /= in_.gpu.units[op.unit].count; // what one warp finds in its sub-core
      warp_.execute(op, cost);
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
      double interval = op.issue_interval / pipelines_per_sm(in_.gpu.units[op.unit], in_.gpu);
      if (op.kind == OpKind::memory) {
        const memory_model::Request r = request(visit, op);
        interval *= r.wavefronts;
        const double sms = in_.gpu.sms;
        add(l2_, times, r.l2_bytes * sms, in_.gpu.l2.bytes_per_clock);
        add(dram_, times, r.dram_bytes * sms, in_.gpu.dram_bytes_per_clock());
      }
      add(units_[op.unit], times, interval, 1);
      instructions_ += times;
    });
  }

  // `amount` per instruction through a subsystem that manages `rate` per cycle; a rate of 0 is unlimited.
  static void add(SubsystemLoad& load, double times, double amount, double rate) {
    if (amount <= 0 || rate <= 0)
      return;
    load.instructions += times;
    load.cycles_per_warp += times * amount / rate;
  }

  const ProfileInput& in_;
  SingleWarp warp_;
  std::vector<SubsystemLoad> units_;
  SubsystemLoad l2_{.name = "l2_bandwidth"};
  SubsystemLoad dram_{.name = "dram_bandwidth"};
  double instructions_ = 0;
};

} // namespace

KernelProfile profile(const ProfileInput& input) { return Profiler(input).run(); }

} // namespace kerncast::analytical
