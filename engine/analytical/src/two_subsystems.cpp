#include "analytical/two_subsystems.h"

#include <algorithm>

namespace kerncast::analytical {
namespace {

double compute_cycles(const SubsystemLoad& load) {
  return load.cycles_per_warp - load.memory_cycles_per_warp;
}

// sum / count, 0 of nothing.
double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

// How many of the latencies that add up to `sum` are under way at a time if they take `path` in all.
double parallelism(double sum, double path, double count) {
  return std::clamp(path > 0 ? sum / path : count, 1.0, std::max(count, 1.0));
}

// Name of the subsystem with the most of what `cycles` says.
template <class Cycles> std::string busiest(const KernelProfile& profile, Cycles&& cycles) {
  const SubsystemLoad* most = nullptr;
  for (const SubsystemLoad& load : profile.subsystems)
    if (cycles(load) > (most == nullptr ? 0 : cycles(*most)))
      most = &load;
  return most == nullptr ? "latency" : most->name;
}

} // namespace

TwoSubsystemKernel two_subsystems(const KernelProfile& p) {
  double compute = 0;
  double memory = 0;
  for (const SubsystemLoad& load : p.subsystems) {
    compute += compute_cycles(load);
    memory = std::max(memory, load.memory_cycles_per_warp);
  }
  TwoSubsystemKernel k;
  k.compute_instructions = p.compute_instructions;
  k.memory_instructions = p.memory_instructions;
  k.barriers = p.barriers;
  k.compute_interval = mean(compute, p.compute_instructions);
  if (p.compute_instructions == 0 && p.issue_limit > 0)
    k.compute_interval = 1 / p.issue_limit; // for the models that count accesses among the computations
  k.compute_latency = mean(p.compute_latency, p.compute_instructions);
  k.memory_interval = mean(memory, p.memory_instructions);
  // An access is under way at least as long as it holds the way to memory.
  k.memory_latency = std::max(mean(p.memory_latency, p.memory_instructions), k.memory_interval);
  k.memory_issue_interval = k.compute_interval;
  k.ilp = parallelism(p.compute_latency, p.compute_path_latency, p.compute_instructions);
  k.mlp =
      parallelism(p.memory_latency, p.critical_path_latency - p.compute_path_latency, p.memory_instructions);
  k.issue_limit = p.issue_limit;
  return k;
}

KernelProfile profile_of(const TwoSubsystemKernel& k) {
  KernelProfile p;
  const double memory_cycles = k.memory_instructions * k.memory_interval;
  p.subsystems = {{"compute", k.compute_instructions, k.compute_instructions * k.compute_interval, 0},
                  {"memory", k.memory_instructions, memory_cycles, memory_cycles}};
  p.instructions = k.compute_instructions + k.memory_instructions;
  p.issue_limit = k.issue_limit;
  p.compute_instructions = k.compute_instructions;
  p.memory_instructions = k.memory_instructions;
  p.barriers = k.barriers;
  p.compute_latency = k.compute_instructions * k.compute_latency;
  p.memory_latency = k.memory_instructions * k.memory_latency;
  p.compute_path_latency = p.compute_latency / k.ilp;
  p.critical_path_latency = p.compute_path_latency + p.memory_latency / k.mlp;
  if (k.memory_instructions > 0)
    p.intervals = {{k.compute_intensity() * k.mlp, k.memory_latency, k.memory_instructions / k.mlp}};
  else
    p.intervals = {{k.compute_instructions, 0, 1}};
  return p;
}

std::string busiest_compute_subsystem(const KernelProfile& profile) {
  return busiest(profile, compute_cycles);
}

std::string busiest_memory_subsystem(const KernelProfile& profile) {
  return busiest(profile, [](const SubsystemLoad& load) { return load.memory_cycles_per_warp; });
}

} // namespace kerncast::analytical
