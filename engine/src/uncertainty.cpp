// One plan per source of error. Latencies become longer and bandwidths smaller: where hardware queues, half
// of a change to the better is no measure of the change to the worse, which is what people fear.
#include "engine/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "changed_plan.h"
#include "configs/standard_error.h"

namespace kerncast::engine {
namespace {

// Registers that machine::annotate estimates, beside those of ptxas: one standard error (docs/lowering.md).
constexpr double register_error = 0.2;

struct Source {
  std::string name;
  std::function<void(Machine& machine)> apply;
  bool is_mirrored = true;
};

// As far off as the interval is to reach.
VariedPlan at_bound(const std::string& source, KernelPlan plan) {
  return {source, false, interval_deviations, std::move(plan)};
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
constexpr Parameter l2_rates[] = {
    {"l2.bytes_per_clock", [](configs::Gpu& g) -> double& { return g.l2.bytes_per_clock; }},
    {"memory.to_l2_bytes_per_clock",
     [](configs::Gpu& g) -> double& { return g.memory.to_l2_bytes_per_clock; }},
};
constexpr Parameter dram_rates[] = {
    {"dram.sustained_fraction", [](configs::Gpu& g) -> double& { return g.dram.sustained_fraction; }},
    {"dram.bandwidth_gbps", [](configs::Gpu& g) -> double& { return g.dram.bandwidth_gbps; }},
};
constexpr Parameter starts[] = {
    {"cta_launch_latency", [](configs::Gpu& g) -> double& { return g.cta_launch_latency; }},
};
constexpr Parameter fetches[] = {
    {"instruction_cache.miss_latency",
     [](configs::Gpu& g) -> double& { return g.instruction_cache.miss_latency; }},
};

Source longer(std::string name, std::span<const Parameter> parameters) {
  return {std::move(name), [parameters](Machine& m) {
            for (const Parameter& p : parameters)
              p.value(m.gpu) *= 1 + configs::standard_error(m.gpu, p.key);
          }};
}

Source narrower(std::string name, std::span<const Parameter> parameters) {
  return {std::move(name), [parameters](Machine& m) {
            for (const Parameter& p : parameters)
              p.value(m.gpu) /= 1 + configs::standard_error(m.gpu, p.key);
          }};
}

// Operations whose rows of the ISA table state numbers of their own were measured as their unit was.
Source longer_operations(std::string name, const char* of_unit, double machine::MachineOp::*value) {
  return {std::move(name), [of_unit, value](Machine& m) {
            for (machine::MachineOp& op : m.program.ops)
              op.*value *= 1 + configs::standard_error(
                                   m.gpu, fmt::format("units.{}.{}", m.gpu.units[op.unit].name, of_unit));
          }};
}

Source other_registers(std::string name, double factor) {
  return {std::move(name),
          [factor](Machine& m) {
            m.program.registers_estimated =
                std::min(static_cast<std::uint32_t>(std::lround(m.program.registers_estimated * factor)),
                         m.gpu.limits.registers_per_thread);
          },
          false};
}

std::vector<Source> sources_of(const KernelInput& input) {
  std::vector<Source> sources;
  sources.push_back(longer_operations("latency of operations", "latency", &machine::MachineOp::latency));
  sources.push_back(
      longer_operations("issue interval of units", "issue_interval", &machine::MachineOp::issue_interval));
  sources.push_back(longer("latency of L1, shared, constant and texture memory", near_latencies));
  sources.push_back(longer("latency of L2 and DRAM", far_latencies));
  sources.push_back(narrower("bandwidth of L2", l2_rates));
  sources.push_back(narrower("bandwidth of DRAM", dram_rates));
  sources.push_back({"misses under way", [](Machine& m) {
                       const double error = configs::standard_error(m.gpu, "memory.in_flight_bytes_per_sm");
                       auto& bytes = m.gpu.memory.in_flight_bytes_per_sm;
                       bytes = static_cast<std::uint64_t>(static_cast<double>(bytes) / (1 + error));
                     }});
  sources.push_back(longer("start of CTAs", starts));
  sources.push_back(longer("fetches of code", fetches));
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

void vary_program(const KernelInput& input, const KernelPlan& plan, std::vector<VariedPlan>& varied) {
  for (const OtherProgram& other : input.other_programs)
    if (std::optional<KernelPlan> changed = plan_changed(input, {input.gpu, other.program}, plan))
      varied.push_back(at_bound(other.source, std::move(*changed)));
}

double squared(double x) { return x * x; }

// Factors less one, of one standard error: 0.1 up is 1.1 times as long, 0.1 down 1.1 times as short.
struct Deviation {
  std::string source;
  double up = 0;
  double down = 0;
};

void add(std::vector<Deviation>& all, const VariedCycles& varied, double cycles) {
  const auto same = [&](const Deviation& one) { return one.source == varied.source; };
  auto found = std::find_if(all.begin(), all.end(), same);
  if (found == all.end())
    found = all.insert(all.end(), {varied.source});
  const double up = (varied.cycles / cycles - 1) / varied.deviations;
  const double down = (cycles / varied.cycles - 1) / varied.deviations;
  const double mirrored = varied.is_mirrored ? std::max(up, down) : 0;
  found->up = std::max({found->up, up, mirrored});
  found->down = std::max({found->down, down, mirrored});
}

} // namespace

std::vector<VariedPlan> vary(const KernelInput& input, const KernelPlan& plan) {
  std::vector<VariedPlan> varied;
  for (const Source& source : sources_of(input)) {
    Machine machine{input.gpu, input.program};
    source.apply(machine);
    if (std::optional<KernelPlan> changed = plan_changed(input, machine, plan))
      varied.push_back({source.name, source.is_mirrored, 1, std::move(*changed)});
  }
  vary_hits(input, plan, varied);
  vary_program(input, plan, varied);
  return varied;
}

Interval interval_of(double cycles, std::span<const VariedCycles> varied) {
  std::vector<Deviation> all;
  for (const VariedCycles& one : varied)
    add(all, one, cycles);
  std::stable_sort(all.begin(), all.end(), [](const Deviation& a, const Deviation& b) {
    return std::max(a.up, a.down) > std::max(b.up, b.down);
  });
  all.insert(all.begin(), {"model", model_error, model_error});
  Interval interval;
  double up = 0, down = 0;
  for (const Deviation& one : all) {
    up += squared(one.up);
    down += squared(one.down);
    interval.sources.push_back(
        {one.source, interval_deviations * one.up, 1 - 1 / (1 + interval_deviations * one.down)});
  }
  interval.low = cycles / (1 + interval_deviations * std::sqrt(down));
  interval.high = cycles * (1 + interval_deviations * std::sqrt(up));
  return interval;
}

} // namespace kerncast::engine
