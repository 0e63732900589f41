// One plan per source of error. Latencies become longer and bandwidths smaller: where hardware queues, half
// of a change to the better is no measure of the change to the worse, which is what people fear.
#include "engine/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "changed_plan.h"
#include "configs/standard_error.h"
#include "cta_sequence.h"
#include "engine/simulate_plan.h"
#include "loops.h"

namespace kerncast::engine {
namespace {

// Registers that machine::annotate estimates, beside those of ptxas: one standard error (docs/lowering.md).
constexpr double register_error = 0.2;

struct Source {
  std::string name;
  // Returns by which factor something became longer at most; infinity: there is no such bound.
  std::function<double(Machine& machine)> apply;
  bool is_mirrored = true;
};

constexpr double no_bound = std::numeric_limits<double>::infinity();

// As far off as the interval is to reach.
VariedPlan at_bound(std::string source, KernelPlan plan) {
  return {std::move(source), false, interval_deviations, no_bound, false, std::move(plan)};
}

struct Parameter {
  const char* key;
  double& (*value)(configs::Gpu& gpu);
};

constexpr Parameter near_latencies[] = {
    {"l1.latency", [](configs::Gpu& g) -> double& { return g.l1.latency; }},
    {"shared.latency", [](configs::Gpu& g) -> double& { return g.shared.latency; }},
    {"constant.latency", [](configs::Gpu& g) -> double& { return g.constant_latency; }},
    {"texture.latency", [](configs::Gpu& g) -> double& { return g.texture_latency; }},
};
constexpr Parameter far_latencies[] = {
    {"l2.latency", [](configs::Gpu& g) -> double& { return g.l2.latency; }},
    {"dram.latency", [](configs::Gpu& g) -> double& { return g.dram.latency; }},
    {"dram.loaded_latency.b", [](configs::Gpu& g) -> double& { return g.dram.loaded_latency.b; }},
};
constexpr Parameter turns[] = {
    {"l2.atomic_interval", [](configs::Gpu& g) -> double& { return g.l2_atomic_interval; }},
};
constexpr Parameter l2_rates[] = {
    {"l2.bytes_per_clock", [](configs::Gpu& g) -> double& { return g.l2.bytes_per_clock; }},
    {"l2.line_bytes_per_clock", [](configs::Gpu& g) -> double& { return g.l2_line_bytes_per_clock; }},
    {"l2.write_bytes_per_clock",
     [](configs::Gpu& g) -> double& { return g.l2_requests.write_bytes_per_clock; }},
    {"memory.to_l2_bytes_per_clock",
     [](configs::Gpu& g) -> double& { return g.memory.to_l2_bytes_per_clock; }},
};
constexpr Parameter dram_rates[] = {
    {"dram.sustained_fraction", [](configs::Gpu& g) -> double& { return g.dram.sustained_fraction; }},
    {"dram.bandwidth_gbps", [](configs::Gpu& g) -> double& { return g.dram.bandwidth_gbps; }},
};
constexpr Parameter starts[] = {
    {"cta_launch_latency", [](configs::Gpu& g) -> double& { return g.cta_launch_latency; }},
    {"cta_launch_interval", [](configs::Gpu& g) -> double& { return g.cta_launch_interval; }},
};
constexpr Parameter fetches[] = {
    {"instruction_cache.miss_latency",
     [](configs::Gpu& g) -> double& { return g.instruction_cache.miss_latency; }},
};

// Each becomes worse by its error. Of bandwidths in a row the errors may add up.
enum class Worse : std::uint8_t { longer, narrower };

Source worse(std::string name, std::span<const Parameter> parameters, Worse how) {
  return {std::move(name), [parameters, how](Machine& m) {
            double longest = 1, all = 1;
            for (const Parameter& p : parameters) {
              const double factor = 1 + configs::standard_error(m.gpu, p.key);
              p.value(m.gpu) *= how == Worse::longer ? factor : 1 / factor;
              longest = std::max(longest, factor);
              all *= factor;
            }
            return how == Worse::longer ? longest : all;
          }};
}

Source narrower_way_to_l2() {
  Source source = worse("bandwidth of L2 and misses under way", l2_rates, Worse::narrower);
  source.apply = [rates = source.apply](Machine& m) {
    const double factor = 1 + configs::standard_error(m.gpu, "memory.in_flight_bytes_per_sm");
    auto& bytes = m.gpu.memory.in_flight_bytes_per_sm;
    bytes = static_cast<std::uint64_t>(static_cast<double>(bytes) / factor);
    return factor * rates(m);
  };
  return source;
}

// The key that says how long results of an operation take.
std::string latency_key(const configs::Gpu& gpu, const machine::MachineOp& op) {
  if (machine::is_branch(op) && gpu.branch_latency > 0)
    return "branch_latency";
  return op.guards ? "guard_latency" : fmt::format("units.{}.latency", gpu.units[op.unit].name);
}

std::string interval_key(const configs::Gpu& gpu, const machine::MachineOp& op) {
  return fmt::format("units.{}.issue_interval", gpu.units[op.unit].name);
}

// Operations whose rows of the ISA table state numbers of their own were measured as their unit was.
Source longer_operations(std::string name, std::string (*key)(const configs::Gpu&, const machine::MachineOp&),
                         double machine::MachineOp::*value) {
  return {std::move(name), [key, value](Machine& m) {
            double most = 1;
            for (machine::MachineOp& op : m.program.ops) {
              const double factor = 1 + configs::standard_error(m.gpu, key(m.gpu, op));
              op.*value *= factor;
              most = std::max(most, factor);
            }
            return most;
          }};
}

Source other_registers(std::string name, double factor) {
  return {std::move(name),
          [factor](Machine& m) {
            m.program.registers_estimated =
                std::min(static_cast<std::uint32_t>(std::lround(m.program.registers_estimated * factor)),
                         m.gpu.limits.registers_per_thread);
            return no_bound;
          },
          false};
}

std::vector<Source> sources_of(const KernelInput& input) {
  std::vector<Source> sources;
  sources.push_back(longer_operations("latency of operations", latency_key, &machine::MachineOp::latency));
  sources.push_back(
      longer_operations("issue interval of units", interval_key, &machine::MachineOp::issue_interval));
  sources.push_back(
      worse("latency of L1, shared, constant and texture memory", near_latencies, Worse::longer));
  sources.push_back(worse("latency of L2 and DRAM", far_latencies, Worse::longer));
  sources.push_back(worse("atomics of one address", turns, Worse::longer));
  sources.push_back(narrower_way_to_l2());
  sources.push_back(worse("bandwidth of DRAM", dram_rates, Worse::narrower));
  sources.push_back(worse("start of CTAs", starts, Worse::longer));
  sources.push_back(worse("fetches of code", fetches, Worse::longer));
  if (!input.launch.registers) {
    sources.push_back(other_registers("registers", 1 + register_error));
    sources.push_back(other_registers("registers", 1 / (1 + register_error)));
  }
  return sources;
}

void vary_hits(const KernelInput& input, const KernelPlan& plan, std::vector<VariedPlan>& varied) {
  if (input.hit_rates || input.predicted == nullptr || !input.predicted->bounds)
    return;
  const hit_rates::HitBounds& bounds = *input.predicted->bounds;
  for (const hit_rates::TaskRates* bound : {&bounds.fewer, &bounds.more}) {
    hit_rates::LaunchHits hits;
    static_cast<hit_rates::TaskRates&>(hits) = *bound;
    KernelInput changed = input;
    changed.predicted = &hits;
    if (std::optional<KernelPlan> other = plan_changed(changed, {input.gpu, input.program}, plan))
      varied.push_back(at_bound("hit rates", std::move(*other)));
  }
}

// Whether operands are kept from one operation to the next is up to the compiler.
void vary_register_reads(const KernelInput& input, const KernelPlan& plan, std::vector<VariedPlan>& varied) {
  Machine machine{input.gpu, input.program};
  bool differs = false;
  for (machine::MachineOp& op : machine.program.ops) {
    const double held = held_cycles(op);
    op.operand_interval = op.longest_operand_interval;
    differs = differs || held_cycles(op) != held;
  }
  if (!differs)
    return;
  if (std::optional<KernelPlan> other = plan_changed(input, machine, plan))
    varied.push_back(at_bound("reading of registers", std::move(*other)));
}

void vary_program(const KernelInput& input, const KernelPlan& plan, std::vector<VariedPlan>& varied) {
  for (const OtherProgram& other : input.other_programs)
    if (std::optional<KernelPlan> changed = plan_changed(input, {input.gpu, other.program}, plan))
      varied.push_back(at_bound(other.source, std::move(*changed)));
}

// What of the busiest SM's work stands for all of it.
struct Start {
  std::uint64_t ctas = 0; // at most
  LoopShares loops;
};

Start start_of(const KernelPlan& plan) {
  constexpr std::uint64_t waves = 2, part = 8;
  const SmWorkload& busiest = plan.groups[busiest_group(plan)].workload;
  return {std::max<std::uint64_t>(waves * plan.occupancy.ctas_per_sm, ctas_of(busiest) / part),
          shares_that_stand_for_all(*busiest.program)};
}

bool is_shorter(const Start& start, const SmWorkload& all) {
  return ctas_of(all) > start.ctas ||
         std::any_of(start.loops.begin(), start.loops.end(), [](double share) { return share < 1; });
}

KernelPlan plan_of(const Start& start, const KernelPlan& plan) {
  KernelPlan out = plan;
  out.groups = {plan.groups[busiest_group(plan)]};
  SmWorkload& workload = out.groups.front().workload;
  workload = with_first_ctas(workload, start.ctas);
  workload.program = with_shares_of_loops(*workload.program, start.loops);
  return out;
}

void keep_starts(const KernelPlan& plan, VariedPlans& varied) {
  const Start start = start_of(plan);
  if (!is_shorter(start, plan.groups[busiest_group(plan)].workload))
    return;
  for (VariedPlan& one : varied.plans) {
    if (one.plan.occupancy.ctas_per_sm != plan.occupancy.ctas_per_sm)
      continue;
    one.plan = plan_of(start, one.plan);
    one.is_start = true;
    if (!varied.start)
      varied.start = plan_of(start, plan);
  }
}

} // namespace

VariedPlans vary(const KernelInput& input, const KernelPlan& plan) {
  VariedPlans varied;
  for (const Source& source : sources_of(input)) {
    Machine machine{input.gpu, input.program};
    const double most = source.apply(machine);
    if (std::optional<KernelPlan> changed = plan_changed(input, machine, plan))
      varied.plans.push_back({source.name, source.is_mirrored, 1, most, false, std::move(*changed)});
  }
  vary_hits(input, plan, varied.plans);
  vary_register_reads(input, plan, varied.plans);
  vary_program(input, plan, varied.plans);
  if (!input.exact)
    keep_starts(plan, varied);
  return varied;
}

} // namespace kerncast::engine
