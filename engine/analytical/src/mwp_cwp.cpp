#include "analytical/mwp_cwp.h"

#include <algorithm>

namespace kerncast::analytical {
namespace {

// Cycles between two accesses: lambda_mem, or one issue.
double departure_interval(const TwoSubsystemKernel& k) {
  return k.issue_limit > 0 ? std::max(k.memory_interval, 1 / k.issue_limit) : k.memory_interval;
}

// Warps that fit into one latency of memory, however many there are.
double memory_slots(const TwoSubsystemKernel& k) {
  return std::max(1.0, k.memory_latency / departure_interval(k));
}

double comp_p(const TwoSubsystemKernel& k) { return k.compute_intensity() * k.compute_interval; } // Eq. 22
double comp_cycles(const TwoSubsystemKernel& k) { return k.compute_instructions * k.compute_interval; }
double mem_cycles(const TwoSubsystemKernel& k) { return k.memory_instructions * k.memory_latency; }

// Eq. 26
double memory_bound_run(const TwoSubsystemKernel& k, double mwp, double omega) {
  return k.memory_instructions * omega * departure_interval(k) + fill_time_of_equation_26(k, mwp);
}

// Eq. 27
double compute_bound_run(const TwoSubsystemKernel& k, double omega) {
  return comp_cycles(k) * omega + k.memory_latency;
}

// Eq. 28, with the latency of one warp alone as its first term
double occupancy_bound_run(const TwoSubsystemKernel& k, double alone, double omega) {
  return alone + comp_p(k) * (omega - 1);
}

// Hong and Kim's Fig. 11: the accesses under way drain one by one.
double barrier_drain(const TwoSubsystemKernel& k, double mwp) {
  return k.barriers * (mwp - 1) * departure_interval(k);
}

// MWP and CWP of omega warps, and which case they make.
MwpCwp parallelism_of(const TwoSubsystemKernel& k, double omega) {
  MwpCwp r;
  r.mwp = std::min(memory_slots(k), omega);
  r.cwp = std::min(k.memory_latency / comp_p(k) + 1, omega);
  if (r.mwp < omega || r.cwp < omega)
    r.which = r.cwp >= r.mwp ? MwpCwpCase::memory_bound : MwpCwpCase::compute_bound;
  return r;
}

// A kernel without accesses computes all the time, or as fast as one warp can.
MwpCwp computing_alone(const TwoSubsystemKernel& k, double alone, double omega) {
  return {.mwp = omega,
          .cwp = 1,
          .which = MwpCwpCase::compute_bound,
          .cycles_per_run = std::max(comp_cycles(k) * omega, alone)};
}

WarpRate rate_of(const MwpCwp& run, const KernelProfile& profile, double omega) {
  WarpRate rate{.warps_per_cycle = omega / run.cycles_per_run, .bound = "latency"};
  if (run.which == MwpCwpCase::memory_bound)
    rate.bound = busiest_memory_subsystem(profile);
  else if (run.which == MwpCwpCase::compute_bound)
    rate.bound = busiest_compute_subsystem(profile);
  return rate;
}

} // namespace

MwpCwp mwp_cwp(const TwoSubsystemKernel& k, double omega) {
  if (k.memory_instructions == 0)
    return computing_alone(k, 0, omega);
  MwpCwp r = parallelism_of(k, omega);
  if (r.which == MwpCwpCase::memory_bound)
    r.cycles_per_run = memory_bound_run(k, r.mwp, omega);
  else if (r.which == MwpCwpCase::compute_bound)
    r.cycles_per_run = compute_bound_run(k, omega);
  else
    r.cycles_per_run = occupancy_bound_run(k, mem_cycles(k) + comp_cycles(k), omega);
  r.cycles_per_run += barrier_drain(k, r.mwp);
  return r;
}

MwpCwp mwp_cwp_corrected(const TwoSubsystemKernel& k, double omega) {
  const double alone =
      k.compute_instructions * k.compute_latency / k.ilp + mem_cycles(k) / k.mlp; // Lambda_app
  if (k.memory_instructions == 0)
    return computing_alone(k, alone, omega);
  MwpCwp r = parallelism_of(k, omega);
  r.which = MwpCwpCase::occupancy_bound;
  r.cycles_per_run = occupancy_bound_run(k, alone, omega);
  const auto slower = [&r](MwpCwpCase which, double cycles) {
    if (cycles > r.cycles_per_run) {
      r.which = which;
      r.cycles_per_run = cycles;
    }
  };
  slower(MwpCwpCase::memory_bound, memory_bound_run(k, r.mwp, omega));
  slower(MwpCwpCase::compute_bound, compute_bound_run(k, omega));
  r.cycles_per_run += barrier_drain(k, r.mwp);
  return r;
}

WarpRate mwp_cwp_rate(const KernelProfile& profile, double warps) {
  return rate_of(mwp_cwp(two_subsystems(profile), warps), profile, warps);
}

WarpRate mwp_cwp_corrected_rate(const KernelProfile& profile, double warps) {
  return rate_of(mwp_cwp_corrected(two_subsystems(profile), warps), profile, warps);
}

double fill_time_of_equation_26(const TwoSubsystemKernel& k, double mwp) { return comp_p(k) * mwp; }

double fill_time_of_equation_29(const TwoSubsystemKernel& k, double mwp) {
  return comp_p(k) + (mwp - 1) * k.memory_interval;
}

std::vector<double> memory_departures(const TwoSubsystemKernel& k, int warps, Departure rule) {
  const int mwp = static_cast<int>(memory_slots(k));
  std::vector<double> starts;
  for (int i = 0; i < warps; ++i) {
    double start = comp_p(k) * (i + 1); // the warp's computations are done
    if (rule == Departure::together && i >= mwp)
      start = std::max(start, starts[i - mwp] + k.memory_latency);
    if (rule == Departure::spaced && i > 0)
      start = std::max(start, starts[i - 1] + k.memory_interval);
    starts.push_back(start);
  }
  return starts;
}

} // namespace kerncast::analytical
