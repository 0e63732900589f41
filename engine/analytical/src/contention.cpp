#include "analytical/contention.h"

#include <algorithm>
#include <limits>

#include "analytical/volkov.h"

namespace kerncast::analytical {
namespace {

constexpr double all_the_warps_one_likes = std::numeric_limits<double>::infinity();
constexpr int halvings = 200; // more than a double has bits

bool knows_contention(const LoadedMemory& m) { return m.c > 0 && m.accesses > 0 && m.gbps_per_warp_rate > 0; }

} // namespace

double loaded_path_latency(const KernelProfile& profile, double warps_per_cycle) {
  const LoadedMemory& m = profile.loaded_memory;
  if (!knows_contention(m))
    return profile.critical_path_latency;
  const double x = warps_per_cycle * m.gbps_per_warp_rate;
  if (x >= m.c)
    return std::numeric_limits<double>::infinity();
  return profile.critical_path_latency + m.accesses * (m.a + m.b * x / (m.c - x) - m.unloaded_latency);
}

WarpRate volkov_contention(const KernelProfile& profile, double warps) {
  if (!knows_contention(profile.loaded_memory))
    return volkov(profile, warps);
  const WarpRate roof = volkov(profile, all_the_warps_one_likes);
  if (roof.warps_per_cycle * loaded_path_latency(profile, roof.warps_per_cycle) <= warps)
    return roof;
  double low = 0;
  double high =
      std::min(roof.warps_per_cycle, profile.loaded_memory.c / profile.loaded_memory.gbps_per_warp_rate);
  for (int i = 0; i < halvings; ++i) {
    const double x = (low + high) / 2;
    (x * loaded_path_latency(profile, x) < warps ? low : high) = x;
  }
  return {.warps_per_cycle = low, .bound = "latency"};
}

double needed_warps(const KernelProfile& profile, double fraction) {
  return fraction * volkov(profile, all_the_warps_one_likes).warps_per_cycle * profile.critical_path_latency;
}

double needed_warps_with_contention(const KernelProfile& profile, double fraction) {
  const double rate = fraction * volkov(profile, all_the_warps_one_likes).warps_per_cycle;
  return rate * loaded_path_latency(profile, rate);
}

} // namespace kerncast::analytical
