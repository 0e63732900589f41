// Resolves everything symbolic of a launch: paths become steps, address shapes become requests.
#include "sm_program.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>
#include <tuple>

#include "engine/request_of.h"
#include "memory_space.h"
#include "sync_ops.h"

namespace kerncast::engine {
namespace {

using memory_model::MemorySpace;
using tasklist::PathNode;
using tasklist::Space;
using tasklist::TaskKind;

SmOpKind kind_of(machine::OpKind kind) {
  switch (kind) {
  case machine::OpKind::compute:
    return SmOpKind::compute;
  case machine::OpKind::memory:
    return SmOpKind::memory;
  case machine::OpKind::barrier:
    return SmOpKind::barrier;
  case machine::OpKind::fence:
    return SmOpKind::fence;
  case machine::OpKind::exit:
    return SmOpKind::exit;
  }
  assert(false && "every kind of machine operation is handled");
  return SmOpKind::compute;
}

WarpState wait_state(const machine::MachineOp& op) {
  if (op.kind != machine::OpKind::memory)
    return op.task_kind == TaskKind::branch ? WarpState::branch_resolving : WarpState::wait;
  switch (memory_space(op.space)) {
  case MemorySpace::shared:
    return WarpState::short_scoreboard;
  case MemorySpace::constant:
    return WarpState::imc_miss;
  case MemorySpace::global:
  case MemorySpace::local:
  case MemorySpace::texture:
    return WarpState::long_scoreboard;
  }
  return WarpState::long_scoreboard;
}

// Until a dependent on another unit may issue, where the GPU and not the ISA table says so.
double cross_latency(const configs::Unit& unit, const machine::MachineOp& op) {
  const bool is_units = op.kind == machine::OpKind::compute && op.latency == unit.latency;
  return is_units && unit.cross_latency != unit.latency ? unit.cross_latency : 0;
}

SmOp resolve(const KernelInput& input, const machine::MachineOp& op, std::vector<std::uint16_t>& slots) {
  const machine::MachineProgram& program = input.program;
  assert(op.sources.count < 256 && op.destinations.count < 256 && "an instruction has few operands");
  SmOp out;
  out.latency = op.latency;
  out.cross_latency = cross_latency(input.gpu.units[op.unit], op);
  out.issue_interval = machine::held_cycles(op);
  out.unit = op.unit;
  out.kind = kind_of(op.kind);
  out.waits_as = wait_state(op);
  out.access = op.access;
  out.returns_data = machine::returns_data(op);
  out.slots = static_cast<std::uint32_t>(slots.size());
  out.source_count = static_cast<std::uint8_t>(op.sources.count);
  out.destination_count = static_cast<std::uint8_t>(op.destinations.count);
  for (const std::uint16_t slot : program.sources(op))
    slots.push_back(slot);
  for (const std::uint16_t slot : program.destinations(op))
    slots.push_back(slot);
  return out;
}

// Builds the steps of all paths; visits and requests that occur again are resolved once.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const KernelInput& input) : input_(input), sync_(input) {
    out_.slot_count = input.program.slot_count;
    for (const machine::MachineOp& op : input.program.ops) {
      out_.ops.push_back(resolve(input, op, out_.slots));
      if (!op.is_spill)
        sync_.resolve(static_cast<std::uint32_t>(out_.ops.size() - 1), out_.ops.back());
    }
    visit_requests_.resize(input.behaviour.visits.size(), unresolved);
  }

  SmProgram build(std::vector<std::string>& assumptions) && {
    for (const tasklist::WarpPath& path : input_.behaviour.paths) {
      out_.path_start.push_back(static_cast<std::uint32_t>(out_.steps.size()));
      add_nodes(path.nodes, 0);
      out_.steps.push_back({.kind = Step::Kind::finish});
    }
    assumptions.insert(assumptions.end(), sync_.assumptions().begin(), sync_.assumptions().end());
    out_.barrier_uses = std::move(sync_).uses();
    return std::move(out_);
  }

private:
  static constexpr std::uint32_t unresolved = UINT32_MAX;

  void add_nodes(std::span<const PathNode> nodes, std::uint32_t depth) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == PathNode::Kind::visit) {
        add_visit(nodes[i].visit);
        continue;
      }
      const auto target = static_cast<std::uint32_t>(out_.steps.size());
      add_nodes(nodes.subspan(i + 1, nodes[i].length), depth + 1);
      // A loop whose operations are all free takes no time however often it runs.
      if (out_.steps.size() > target && nodes[i].count > 1) {
        out_.loop_depth = std::max(out_.loop_depth, depth + 1);
        out_.steps.push_back({.kind = Step::Kind::loop_end,
                              .depth = static_cast<std::uint8_t>(depth),
                              .target = target,
                              .count = nodes[i].count});
      }
      i += nodes[i].length;
    }
  }

  void add_visit(std::uint32_t visit) {
    const machine::MachineBlock& block = input_.program.blocks[input_.behaviour.visits[visit].block];
    if (block.op_count == 0)
      return;
    out_.steps.push_back({.kind = Step::Kind::run,
                          .first_op = block.first_op,
                          .end_op = block.first_op + block.op_count,
                          .requests = requests_of(visit)});
  }

  std::uint32_t requests_of(std::uint32_t visit_index) {
    std::uint32_t& first = visit_requests_[visit_index];
    if (first != unresolved)
      return first;
    const tasklist::BlockVisit& visit = input_.behaviour.visits[visit_index];
    first = static_cast<std::uint32_t>(out_.request_pool.size());
    const machine::MachineBlock& block = input_.program.blocks[visit.block];
    out_.request_pool.resize(first + count_accesses(block, visit), 0);
    for (std::uint32_t i = 0; i < block.op_count; ++i) {
      const machine::MachineOp& op = input_.program.ops[block.first_op + i];
      if (op.kind != machine::OpKind::memory)
        continue;
      if (op.is_spill) {
        out_.request_pool[first + op.access] = spill_request(op, visit.active_mask);
        continue;
      }
      const std::uint32_t shape = input_.behaviour.access_pool[visit.accesses.begin + op.access];
      const bool is_barrier = out_.ops[block.first_op + i].barrier_by_step;
      out_.request_pool[first + op.access] =
          is_barrier ? sync_.use_of(op, input_.behaviour.shapes[shape]) : request_of(op, shape);
    }
    return first;
  }

  // Those of the block's tasks, which the visit has shapes for, and the spills behind them.
  std::uint32_t count_accesses(const machine::MachineBlock& block, const tasklist::BlockVisit& visit) const {
    std::uint32_t count = visit.accesses.count;
    for (const machine::MachineOp& op : std::span(input_.program.ops).subspan(block.first_op, block.op_count))
      if (op.kind == machine::OpKind::memory)
        count = std::max(count, op.access + 1U);
    return count;
  }

  std::uint32_t spill_request(const machine::MachineOp& op, std::uint32_t active_mask) {
    const auto key = std::tuple(op.task_kind, op.issue_interval, op.access_bytes, active_mask);
    const auto [known, is_new] =
        spill_requests_.try_emplace(key, static_cast<std::uint32_t>(out_.requests.size()));
    if (is_new) {
      const auto make = input_.average_hits ? engine::request_of : engine::split_request_of;
      out_.requests.push_back(make(op, spill_shape(op, active_mask), hits_of(input_, op), input_.gpu));
    }
    return known->second;
  }

  std::uint32_t request_of(const machine::MachineOp& op, std::uint32_t shape_index) {
    const memory_model::HitRates hits = hits_of(input_, op);
    const auto key = std::tuple(op.space, op.task_kind, op.is_one_lane, op.issue_interval, op.trip_cycles,
                                op.turns, shape_index, hits);
    if (const auto known = request_ids_.find(key); known != request_ids_.end())
      return known->second;
    const auto id = static_cast<std::uint32_t>(out_.requests.size());
    const auto make = input_.average_hits ? engine::request_of : engine::split_request_of;
    out_.requests.push_back(make(op, input_.behaviour.shapes[shape_index], hits, input_.gpu));
    request_ids_.emplace(key, id);
    return id;
  }

  const KernelInput& input_;
  SyncOps sync_;
  SmProgram out_;
  std::vector<std::uint32_t> visit_requests_; // per visit: first entry in request_pool
  std::map<std::tuple<Space, TaskKind, bool, double, double, double, std::uint32_t, memory_model::HitRates>,
           std::uint32_t>
      request_ids_;
  std::map<std::tuple<TaskKind, double, std::uint16_t, std::uint32_t>, std::uint32_t> spill_requests_;
};

// What visits have of something, summed over all that the nodes stand for.
template <class OfVisit> std::uint64_t sum_over(std::span<const PathNode> nodes, const OfVisit& of_visit) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == PathNode::Kind::visit) {
      sum += of_visit(nodes[i].visit);
      continue;
    }
    sum += nodes[i].count * sum_over(nodes.subspan(i + 1, nodes[i].length), of_visit);
    i += nodes[i].length;
  }
  return sum;
}

template <class OfVisit>
std::vector<std::uint64_t> of_paths(const tasklist::LaunchBehaviour& behaviour, const OfVisit& of_visit) {
  std::vector<std::uint64_t> sums;
  for (const tasklist::WarpPath& path : behaviour.paths)
    sums.push_back(sum_over(path.nodes, of_visit));
  return sums;
}

} // namespace

SmProgram make_sm_program(const KernelInput& input, std::vector<std::string>& assumptions) {
  return ProgramBuilder(input).build(assumptions);
}

std::vector<std::uint64_t> path_instructions(const KernelInput& input) {
  return of_paths(input.behaviour, [&](std::uint32_t visit) -> std::uint64_t {
    return input.program.blocks[input.behaviour.visits[visit].block].op_count;
  });
}

std::vector<std::uint64_t> path_bulk_bytes(const tasklist::LaunchBehaviour& behaviour) {
  return of_paths(behaviour, [&](std::uint32_t visit) {
    const tasklist::Range accesses = behaviour.visits[visit].accesses;
    std::uint64_t bytes = 0;
    for (std::uint32_t a = accesses.begin; a < accesses.begin + accesses.count; ++a)
      if (const auto& bulk = behaviour.shapes[behaviour.access_pool[a]].bulk)
        bytes += bulk->moved_bytes;
    return bytes;
  });
}

} // namespace kerncast::engine
