// Each change is made to a copy of the description and of the machine program, whose operations have their
// own latencies and intervals, and planned anew. Hit rates and registers stay as they are.
#include "engine/what_if.h"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "changed_plan.h"

namespace kerncast::engine {
namespace {

struct Relaxation {
  std::string change;
  std::function<void(Machine& machine)> apply;
};

struct NumberRow {
  const char* key;
  double& (*value)(configs::Gpu& gpu);
};

constexpr NumberRow latencies[] = {
    {"l1.latency", [](configs::Gpu& g) -> double& { return g.l1.latency; }},
    {"l2.latency", [](configs::Gpu& g) -> double& { return g.l2.latency; }},
    {"dram.latency", [](configs::Gpu& g) -> double& { return g.dram.latency; }},
    {"shared.latency", [](configs::Gpu& g) -> double& { return g.shared.latency; }},
    {"constant.latency", [](configs::Gpu& g) -> double& { return g.constant_latency; }},
    {"texture.latency", [](configs::Gpu& g) -> double& { return g.texture_latency; }},
    {"l2.atomic_interval", [](configs::Gpu& g) -> double& { return g.l2_atomic_interval; }},
    {"cta_launch_latency", [](configs::Gpu& g) -> double& { return g.cta_launch_latency; }},
    {"cta_launch_interval", [](configs::Gpu& g) -> double& { return g.cta_launch_interval; }},
    {"warp_issue_distance", [](configs::Gpu& g) -> double& { return g.warp_issue_distance; }},
};
constexpr NumberRow rates[] = {
    {"dram.bandwidth_gbps", [](configs::Gpu& g) -> double& { return g.dram.bandwidth_gbps; }},
    {"l2.bytes_per_clock", [](configs::Gpu& g) -> double& { return g.l2.bytes_per_clock; }},
    {"l2.line_bytes_per_clock", [](configs::Gpu& g) -> double& { return g.l2_line_bytes_per_clock; }},
    {"l2.write_bytes_per_clock",
     [](configs::Gpu& g) -> double& { return g.l2_requests.write_bytes_per_clock; }},
    {"memory.to_l2_bytes_per_clock",
     [](configs::Gpu& g) -> double& { return g.memory.to_l2_bytes_per_clock; }},
};

std::uint32_t twice(std::uint32_t value) { return value > UINT32_MAX / 2 ? UINT32_MAX : 2 * value; }

// The resources of an SM that can limit the resident CTAs; a grid that is too small cannot be relaxed.
std::optional<Relaxation> relaxed_limit(configs::Limiter limiter) {
  using configs::Limiter;
  using configs::ResidencyLimits;
  struct Row {
    Limiter limiter;
    const char* key;
    std::uint32_t ResidencyLimits::*limit;
  };
  static constexpr Row rows[] = {
      {Limiter::registers, "limits.registers_per_sm", &ResidencyLimits::registers_per_sm},
      {Limiter::shared_memory, "limits.shared_bytes_per_sm", &ResidencyLimits::shared_bytes_per_sm},
      {Limiter::warps, "limits.warps_per_sm", &ResidencyLimits::warps_per_sm},
      {Limiter::threads, "limits.threads_per_sm", &ResidencyLimits::threads_per_sm},
      {Limiter::ctas, "limits.ctas_per_sm", &ResidencyLimits::ctas_per_sm},
  };
  for (const Row& row : rows)
    if (row.limiter == limiter)
      return Relaxation{std::string(row.key) + " x 2", [limit = row.limit](Machine& m) {
                          m.gpu.limits.*limit = twice(m.gpu.limits.*limit);
                        }};
  return std::nullopt;
}

bool takes_branch_latency(const configs::Gpu& gpu, const machine::MachineOp& op) {
  return gpu.branch_latency > 0 && machine::is_branch(op);
}

// Halves a number of the operations that `applies` to.
template <class F> auto halve(double machine::MachineOp::*value, const F& applies) {
  return [=](Machine& m) {
    for (machine::MachineOp& op : m.program.ops)
      if (applies(m.gpu, op))
        op.*value /= 2;
  };
}

void add_unit(std::vector<Relaxation>& all, const configs::Gpu& gpu, std::uint16_t unit) {
  using machine::MachineOp;
  const std::string key = "units." + gpu.units[unit].name;
  all.push_back({key + ".issue_interval / 2",
                 halve(&MachineOp::issue_interval,
                       [unit](const configs::Gpu&, const MachineOp& op) { return op.unit == unit; })});
  all.push_back(
      {key + ".latency / 2", halve(&MachineOp::latency, [unit](const configs::Gpu& g, const MachineOp& op) {
         return op.unit == unit && !op.guards && !takes_branch_latency(g, op);
       })});
}

void add_control(std::vector<Relaxation>& all, const configs::Gpu& gpu) {
  using machine::MachineOp;
  if (gpu.guard_latency > 0)
    all.push_back(
        {"guard_latency / 2",
         halve(&MachineOp::latency, [](const configs::Gpu&, const MachineOp& op) { return op.guards; })});
  if (gpu.branch_latency > 0)
    all.push_back({"branch_latency / 2", halve(&MachineOp::latency, takes_branch_latency)});
}

void read_registers_faster(Machine& machine) {
  machine.gpu.register_reads_per_cycle *= 2;
  for (machine::MachineOp& op : machine.program.ops) {
    const double pipelines = machine.gpu.units[op.unit].count;
    op.operand_interval = pipelines * std::ceil(op.operand_interval / pipelines / 2);
  }
}

std::vector<Relaxation> relaxations(const configs::Gpu& gpu, configs::Limiter limiter) {
  std::vector<Relaxation> all;
  for (std::size_t unit = 0; unit < gpu.units.size(); ++unit)
    add_unit(all, gpu, static_cast<std::uint16_t>(unit));
  add_control(all, gpu);
  for (const NumberRow& row : latencies)
    all.push_back({std::string(row.key) + " / 2", [&row](Machine& m) { row.value(m.gpu) /= 2; }});
  for (const NumberRow& row : rates)
    all.push_back({std::string(row.key) + " x 2", [&row](Machine& m) { row.value(m.gpu) *= 2; }});
  all.push_back(
      {"memory.in_flight_bytes_per_sm x 2", [](Machine& m) { m.gpu.memory.in_flight_bytes_per_sm *= 2; }});
  all.push_back({"memory.ports_per_sm x 2", [](Machine& m) { m.gpu.memory.ports_per_sm *= 2; }});
  all.push_back({"issue_width x 2", [](Machine& m) { m.gpu.issue_width *= 2; }});
  if (std::optional<Relaxation> limit = relaxed_limit(limiter))
    all.push_back(std::move(*limit));
  if (gpu.register_reads_per_cycle > 0)
    all.push_back({"register_reads_per_cycle x 2", read_registers_faster});
  return all;
}

} // namespace

std::vector<RelaxedPlan> relax(const KernelInput& input, const KernelPlan& plan) {
  std::vector<RelaxedPlan> relaxed;
  for (const Relaxation& relaxation : relaxations(input.gpu, plan.occupancy.limiter)) {
    Machine machine{input.gpu, input.program};
    relaxation.apply(machine);
    if (std::optional<KernelPlan> changed = plan_changed(input, machine, plan))
      relaxed.push_back({relaxation.change, std::move(*changed)});
  }
  return relaxed;
}

} // namespace kerncast::engine
