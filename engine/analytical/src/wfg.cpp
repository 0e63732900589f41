#include "analytical/wfg.h"

#include <algorithm>

namespace kerncast::analytical {
namespace {

// What the arcs of all sections have in common.
struct Averages {
  double issue = 0;             // lambda_mem^instr
  double memory_transition = 0; // lambda_mem^trans
  double nbc = 0;               // NBC_avg
  double computing = 0;         // sum of the computational transition arcs
};

// Eq. 30
double compute_transition(const WorkFlowSection& s, const TwoSubsystemKernel& k, double omega) {
  return s.compute_instructions * std::max(k.compute_interval, k.compute_latency / (s.ilp * omega));
}

Averages averages(const WorkFlowGraph& graph, double omega, double issue) {
  const TwoSubsystemKernel& k = graph.kernel;
  Averages a{.issue = issue};
  double memory_instructions = 0;
  for (const WorkFlowSection& s : graph.sections) {
    a.computing += s.times * compute_transition(s, k, omega);
    memory_instructions += s.times * s.memory_instructions;
  }
  if (memory_instructions == 0)
    return a;
  const double cyc_comp = a.computing + issue * memory_instructions; // Eq. 31
  const double cyc_mem = memory_instructions * k.memory_interval;
  a.memory_transition = issue + std::max(0.0, (cyc_mem - cyc_comp) / memory_instructions); // Eq. 33
  a.nbc = cyc_comp / (memory_instructions + k.barriers + 1);                               // Eq. 35
  return a;
}

// Of each memory node the longer of the two arcs that leave it counts.
template <class Exposed>
double reduce(const WorkFlowGraph& graph, double omega, const Averages& a, const Exposed& exposed) {
  double cycles = 0;
  for (const WorkFlowSection& s : graph.sections) {
    double waiting = 0;
    if (s.memory_instructions > 0)
      waiting = (s.memory_instructions - 1) * a.memory_transition + std::max(a.memory_transition, exposed(s));
    cycles += s.times * (compute_transition(s, graph.kernel, omega) + waiting);
  }
  return cycles;
}

WorkFlowSection section_of(const TwoSubsystemKernel& k) {
  if (k.memory_instructions == 0)
    return {.compute_instructions = k.compute_instructions, .ilp = k.ilp};
  return {.compute_instructions = k.compute_intensity() * k.mlp,
          .ilp = k.ilp,
          .memory_instructions = k.mlp,
          .times = k.memory_instructions / k.mlp};
}

WarpRate rate_of(double cycles_per_warp, const KernelProfile& profile, const TwoSubsystemKernel& k) {
  constexpr double on_the_roof = 1 - 1e-9;
  WarpRate rate{.warps_per_cycle = 1 / cycles_per_warp, .bound = "latency"};
  if (k.memory_instructions * k.memory_interval > on_the_roof * cycles_per_warp)
    rate.bound = busiest_memory_subsystem(profile);
  else if (k.compute_instructions * k.compute_interval > on_the_roof * cycles_per_warp)
    rate.bound = busiest_compute_subsystem(profile);
  return rate;
}

} // namespace

double wfg_cycles_per_warp(const WorkFlowGraph& graph, double omega) {
  const TwoSubsystemKernel& k = graph.kernel;
  const Averages a = averages(graph, omega, k.memory_issue_interval);
  const double exposed = k.memory_latency - (omega - 1) * a.nbc; // Eq. 36
  return reduce(graph, omega, a, [&](const WorkFlowSection&) { return exposed; });
}

double wfg_corrected_cycles_per_warp(const WorkFlowGraph& graph, double omega) {
  const TwoSubsystemKernel& k = graph.kernel;
  const Averages a = averages(graph, omega, 0);
  return reduce(graph, omega, a, [&](const WorkFlowSection& s) { // Eq. 42
    const double hides_computations = s.compute_instructions * k.compute_latency / (omega * s.ilp);
    return k.memory_latency / omega - std::max(0.0, (omega - 1) / omega * a.nbc - hides_computations);
  });
}

WarpRate wfg(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  const WorkFlowSection section = section_of(k);
  return rate_of(wfg_cycles_per_warp({{&section, 1}, k}, warps), profile, k);
}

WarpRate wfg_corrected(const KernelProfile& profile, double warps) {
  const TwoSubsystemKernel k = two_subsystems(profile);
  const WorkFlowSection section = section_of(k);
  return rate_of(wfg_corrected_cycles_per_warp({{&section, 1}, k}, warps), profile, k);
}

} // namespace kerncast::analytical
