#include "total_interval.h"

#include <algorithm>
#include <cmath>

#include "configs/standard_error.h"
#include "timeline/timeline.h"

namespace kerncast::app {
namespace {

using OfLaunch = std::vector<engine::KernelPrediction>;

std::vector<double> times(const OfLaunch& of_launch, double engine::Interval::*end) {
  std::vector<double> times_us;
  for (const engine::KernelPrediction& p : of_launch)
    times_us.push_back(end == nullptr ? p.time_us : p.time_us * ((*p.interval).*end / p.cycles));
  return times_us;
}

// A host whose launches and copies take so many standard errors longer.
configs::Gpu with_host(configs::Gpu gpu, double deviations) {
  const auto factor = [&](const char* key) {
    const double longer = 1 + std::abs(deviations) * configs::standard_error(gpu, key);
    return deviations < 0 ? 1 / longer : longer;
  };
  gpu.launch_overhead_us *= factor("launch_overhead_us");
  gpu.host_link.latency_us *= factor("host_link.latency_us");
  gpu.host_link.bandwidth_gbps /= factor("host_link.bandwidth_gbps");
  return gpu;
}

} // namespace

std::optional<TimeInterval> interval_of_total(const PredictInput& input, const configs::Gpu& gpu,
                                              const OfLaunch& of_launch, double total_us) {
  if (!std::all_of(of_launch.begin(), of_launch.end(), [](const auto& p) { return p.interval.has_value(); }))
    return std::nullopt;
  const auto change = [&](const std::vector<double>& kernels_us, const configs::Gpu& changed) {
    return timeline::simulate_timeline(input.events, kernels_us, changed).total_time_us - total_us;
  };
  const std::vector<double> as_predicted = times(of_launch, nullptr);
  const auto end = [&](double engine::Interval::*kernels, double deviations) {
    const double kernels_change = change(times(of_launch, kernels), gpu);
    const double host_change = change(as_predicted, with_host(gpu, deviations));
    return std::sqrt(kernels_change * kernels_change + host_change * host_change);
  };
  return TimeInterval{std::max(0.0, total_us - end(&engine::Interval::low, -engine::interval_deviations)),
                      total_us + end(&engine::Interval::high, engine::interval_deviations)};
}

} // namespace kerncast::app
