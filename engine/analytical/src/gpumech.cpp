#include "analytical/gpumech.h"

#include <algorithm>
#include <vector>

#include "analytical/two_subsystems.h"

namespace kerncast::analytical {
namespace {

struct Totals {
  double instructions = 0;
  double cycles = 0;
  double intervals = 0;
  double issue_probability() const { return instructions / cycles; } // Eq. 9
};

Totals totals(std::span<const Interval> intervals) {
  Totals t;
  for (const Interval& i : intervals) {
    t.instructions += i.times * i.instructions;
    t.cycles += i.times * (i.instructions + i.stall_cycles);
    t.intervals += i.times;
  }
  return t;
}

// Eq. 7, with `not_overlapped` instructions of an interval.
template <class NotOverlapped>
double rate_with(std::span<const Interval> intervals, double warps, const NotOverlapped& not_overlapped) {
  double cycles = totals(intervals).cycles;
  for (const Interval& i : intervals)
    cycles += i.times * std::max(0.0, not_overlapped(i));
  return warps / cycles;
}

// Eqs. 12 to 16
double gto_rate(std::span<const Interval> intervals, double warps, double issue_probability) {
  const Totals t = totals(intervals);
  const double average = t.instructions / t.intervals; // Eq. 13
  return rate_with(intervals, warps, [&](const Interval& i) {
    return std::min(issue_probability * i.stall_cycles, 1.0) * average * (warps - 1) - i.stall_cycles;
  });
}

// In slots of lambda_comp.
WarpRate of_profile(const KernelProfile& profile, double warps,
                    double (*rate)(std::span<const Interval>, double)) {
  const double slot = two_subsystems(profile).compute_interval;
  std::vector<Interval> intervals = profile.intervals;
  for (Interval& i : intervals)
    i.stall_cycles /= slot;
  const Totals t = totals(intervals);
  if (t.cycles <= t.instructions) // no stalls, nothing to hide: one computation per slot
    return {.warps_per_cycle = 1 / (t.instructions * slot), .bound = busiest_compute_subsystem(profile)};
  WarpRate result{.warps_per_cycle = rate(intervals, warps) / slot, .bound = "latency"};
  constexpr double nearly_full = 0.99; // the models approach their roof and may pass it
  if (result.warps_per_cycle * profile.compute_instructions * slot > nearly_full)
    result.bound = busiest_compute_subsystem(profile);
  return result;
}

} // namespace

double gpumech_rr_rate(std::span<const Interval> intervals, double warps) {
  const double probability = totals(intervals).issue_probability();
  return rate_with(intervals, warps, [&](const Interval& i) {
    return probability * (warps - 1) * (i.instructions - 1); // Eqs. 10 and 11
  });
}

double gpumech_rr_corrected_rate(std::span<const Interval> intervals, double warps) {
  return rate_with(intervals, warps, [&](const Interval& i) {
    return (warps - 1) * i.instructions - std::min(i.stall_cycles, warps - 1);
  });
}

double gpumech_gto_rate(std::span<const Interval> intervals, double warps) {
  return gto_rate(intervals, warps, totals(intervals).issue_probability());
}

double gpumech_gto_corrected_rate(std::span<const Interval> intervals, double warps) {
  const Totals t = totals(intervals);
  const double average = t.instructions / t.intervals;
  return rate_with(intervals, warps,
                   [&](const Interval& i) { return average * (warps - 1) - i.stall_cycles; });
}

WarpRate gpumech_rr(const KernelProfile& profile, double warps) {
  return of_profile(profile, warps, gpumech_rr_rate);
}

WarpRate gpumech_rr_corrected(const KernelProfile& profile, double warps) {
  return of_profile(profile, warps, gpumech_rr_corrected_rate);
}

WarpRate gpumech_gto(const KernelProfile& profile, double warps) {
  return of_profile(profile, warps, gpumech_gto_rate);
}

WarpRate gpumech_gto_corrected(const KernelProfile& profile, double warps) {
  return of_profile(profile, warps, gpumech_gto_corrected_rate);
}

double gpumech_bandwidth_delay(const MemoryQueue& q) {
  const double s = q.service_cycles;
  const double arrivals = q.requests / q.latency; // Eq. 23
  return std::min(s * s * arrivals / (2 * (1 - q.utilisation())), s * q.requests / 2);
}

} // namespace kerncast::analytical
