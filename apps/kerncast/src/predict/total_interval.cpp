#include "total_interval.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "configs/standard_error.h"
#include "kernel_shares.h"
#include "timeline/timeline.h"

namespace kerncast::app {
namespace {

std::vector<double> times_at(double engine::Interval::*end, const OfLaunch& of_launch) {
  std::vector<double> times_us;
  for (const engine::KernelPrediction& p : of_launch)
    times_us.push_back(p.time_us * (*p.interval).*end);
  return times_us;
}

// Launches that follow each other are so many times fewer that a timeline is quick; what changes in it counts
// so many times.
struct Shortened {
  std::vector<timeline::Event> events;
  double times = 1;
};

Shortened shortened(const std::vector<timeline::Event>& events) {
  constexpr std::uint64_t most_launches = 100000;
  std::uint64_t launches = 0;
  for (const timeline::Event& event : events)
    if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event))
      launches += kernel->repeat;
  const std::uint64_t times = launches / most_launches + 1;
  Shortened result{events, static_cast<double>(times)};
  for (timeline::Event& event : result.events)
    if (auto* kernel = std::get_if<timeline::KernelEvent>(&event))
      kernel->repeat = (kernel->repeat + times - 1) / times;
  return result;
}

// A host whose launches and copies take so many standard errors longer.
configs::Gpu with_host(configs::Gpu gpu, double deviations) {
  const auto factor = [&](const char* key) {
    const double longer = 1 + std::abs(deviations) * configs::standard_error(gpu, key);
    return deviations < 0 ? 1 / longer : longer;
  };
  gpu.launch_overhead_us *= factor("launch_overhead_us");
  gpu.kernel_gap_us *= factor("kernel_gap_us");
  gpu.graph.launch_overhead_us *= factor("graph.launch_overhead_us");
  gpu.graph.node_overhead_us *= factor("graph.node_overhead_us");
  gpu.host_link.latency_us *= factor("host_link.latency_us");
  gpu.host_link.bandwidth_gbps /= factor("host_link.bandwidth_gbps");
  return gpu;
}

} // namespace

std::vector<double> times_us(const OfLaunch& of_launch) {
  std::vector<double> times;
  for (const engine::KernelPrediction& p : of_launch)
    times.push_back(p.time_us);
  return times;
}

std::optional<TimeInterval> interval_of_total(const PredictInput& input, const configs::Gpu& gpu,
                                              const OfLaunch& of_launch, double total_us) {
  if (of_launch.empty() ||
      !std::all_of(of_launch.begin(), of_launch.end(), [](const auto& p) { return p.interval.has_value(); }))
    return std::nullopt;
  const Shortened app = shortened(input.events);
  const std::vector<double> as_predicted = times_us(of_launch);
  const std::vector<timeline::KernelShare> shares = kernel_shares(of_launch);
  const std::vector<timeline::KernelParts> parts = kernel_parts(of_launch);
  const auto total = [&](const std::vector<double>& kernels_us, const configs::Gpu& changed) {
    return timeline::simulate_timeline(app.events, kernels_us, changed, shares, 0, parts).total_time_us;
  };
  const double unchanged = total(as_predicted, gpu);
  const auto end = [&](double engine::Interval::*kernels, double deviations) {
    const double of_kernels = total(times_at(kernels, of_launch), gpu) - unchanged;
    const double of_host = total(as_predicted, with_host(gpu, deviations)) - unchanged;
    return app.times * std::sqrt(of_kernels * of_kernels + of_host * of_host);
  };
  return TimeInterval{std::max(0.0, total_us - end(&engine::Interval::low, -engine::interval_deviations)),
                      total_us + end(&engine::Interval::high, engine::interval_deviations)};
}

} // namespace kerncast::app
