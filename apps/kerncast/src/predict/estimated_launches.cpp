#include "estimated_launches.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "statistics/interpolation.h"
#include "statistics/logarithm.h"

namespace kerncast::app {
namespace {

using statistics::Point;

// Of what has none, as it is 0 or a model does not say it: not a number.
double logarithm_or_nan(double value) {
  return value > 0 && std::isfinite(value) ? statistics::binary_logarithm(value)
                                           : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> logarithms(const LaunchFamily& family, const std::vector<engine::KernelPrediction>& all,
                               double (*quantity)(const engine::KernelPrediction&)) {
  std::vector<double> values;
  for (const std::size_t position : family.simulated)
    values.push_back(logarithm_or_nan(quantity(all[family.launches[position]])));
  return values;
}

std::vector<Point> known_points(const LaunchFamily& family) {
  std::vector<Point> points;
  for (const std::size_t position : family.simulated)
    points.push_back(family.points[position]);
  return points;
}

bool all_known(const std::vector<double>& logarithms) {
  return std::ranges::all_of(logarithms, [](double value) { return std::isfinite(value); });
}

double error_of_left_out(const std::vector<Point>& points, const std::vector<double>& log_times) {
  if (!all_known(log_times))
    return 1;
  const std::vector<double> estimated = statistics::left_out_values(points, log_times);
  double sum = 0;
  for (std::size_t i = 0; i < estimated.size(); ++i) {
    const double error = statistics::power_of_two(estimated[i] - log_times[i]) - 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(estimated.size()));
}

// A quantity of the launches that were simulated, as a factor from one of them to another launch.
class Quantity {
public:
  Quantity(const LaunchFamily& family, const std::vector<engine::KernelPrediction>& all,
           double (*quantity)(const engine::KernelPrediction&))
      : values_(logarithms(family, all, quantity)) {
    // Where it is 0, or the model does not say it, somewhere, it stays what it is at the nearest one.
    if (all_known(values_))
      interpolation_.emplace(known_points(family), values_);
  }

  // `from`: a position in LaunchFamily::simulated.
  double factor(std::size_t from, const Point& to) const {
    return interpolation_ ? statistics::power_of_two(interpolation_->at(to) - values_[from]) : 1;
  }

private:
  std::vector<double> values_;
  std::optional<statistics::Interpolation> interpolation_;
};

// At engine::interval_level, beside what is uncertain of the launch that stands for it.
void widen(engine::Interval& interval, double error) {
  const double more = engine::interval_deviations * error;
  const auto with_more = [more](double deviation) { return std::sqrt(deviation * deviation + more * more); };
  interval.low = std::max(0.0, 1 - with_more(1 - interval.low));
  interval.high = 1 + with_more(interval.high - 1);
  interval.sources.push_back({"estimated from launches that were simulated", more, std::min(1.0, more)});
}

double time_of(const engine::KernelPrediction& p) { return p.time_us; }

// The launches of a family that were not simulated, from those that were.
class Estimate {
public:
  Estimate(const LaunchFamily& family, const std::vector<LaunchJob>& launches,
           std::vector<engine::KernelPrediction>& all)
      : family_(family), launches_(launches), all_(all), known_(known_points(family)),
        error_(error_of_left_out(known_, logarithms(family, all, time_of))), time_(family, all, time_of),
        cycles_(family, all, [](const auto& p) { return p.cycles; }),
        instructions_(family, all, [](const auto& p) { return static_cast<double>(p.warp_instructions); }),
        l2_bytes_(family, all, [](const auto& p) { return p.l2_bytes; }),
        dram_bytes_(family, all, [](const auto& p) { return p.dram_bytes; }) {}

  double error() const { return error_; }

  void run() {
    for (std::size_t position = 0; position < family_.launches.size(); ++position)
      if (!std::ranges::binary_search(family_.simulated, position))
        estimate(position);
  }

private:
  void estimate(std::size_t position) {
    const Point& point = family_.points[position];
    const std::size_t near = statistics::nearest_point(known_, point);
    const std::size_t from = family_.launches[family_.simulated[near]];
    const std::size_t to = family_.launches[position];
    engine::KernelPrediction p = all_[from];
    const double ctas = static_cast<double>(launches_[to].launch.grid.count()) /
                        static_cast<double>(launches_[from].launch.grid.count());
    const double instructions = instructions_.factor(near, point);
    const double cycles = cycles_.factor(near, point);
    p.time_us *= time_.factor(near, point);
    p.cycles *= cycles;
    p.ipc_per_sm *= instructions / cycles;
    p.warp_instructions =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(p.warp_instructions) * instructions));
    p.simulated_warp_instructions = 0;
    p.waves *= ctas;
    p.l2_bytes *= l2_bytes_.factor(near, point);
    p.dram_bytes *= dram_bytes_.factor(near, point);
    for (auto& [state, of_state] : p.warp_state_cycles) // each instruction waits as long
      of_state *= instructions;
    if (p.interval)
      widen(*p.interval, error_);
    p.assumptions = {note()};
    all_[to] = std::move(p);
  }

  std::string note() const {
    return fmt::format(
        "launches: {} of {} distinct ones with {} threads a CTA are simulated, times of the others "
        "estimated from theirs ({:.2g} % off where one of them is left out)",
        family_.simulated.size(), family_.launches.size(),
        launches_[family_.launches.front()].launch.threads_per_cta(), 100 * error_);
  }

  const LaunchFamily& family_;
  const std::vector<LaunchJob>& launches_;
  std::vector<engine::KernelPrediction>& all_;
  std::vector<Point> known_;
  double error_;
  Quantity time_, cycles_, instructions_, l2_bytes_, dram_bytes_;
};

} // namespace

SampledPredictions estimate_others(const LaunchSample& sample, const std::vector<LaunchJob>& launches,
                                   std::vector<engine::KernelPrediction> of_simulated) {
  SampledPredictions result;
  result.of_launch.resize(launches.size());
  for (std::size_t i = 0; i < sample.simulated.size(); ++i)
    result.of_launch[sample.simulated[i]] = std::move(of_simulated[i]);
  for (const LaunchFamily& family : sample.families) {
    Estimate estimate(family, launches, result.of_launch);
    estimate.run();
    result.errors.push_back(estimate.error());
  }
  return result;
}

std::vector<std::optional<SampledLaunches>> sampled_launches(const LaunchSample& sample,
                                                             const std::vector<LaunchJob>& launches,
                                                             const std::vector<double>& errors) {
  std::map<std::uint32_t, std::size_t> row_of; // by kernel, as collate has them
  std::vector<std::uint64_t> distinct;
  for (const LaunchJob& job : launches) {
    const auto [found, is_new] = row_of.try_emplace(job.kernel, distinct.size());
    if (is_new)
      distinct.push_back(0);
    ++distinct[found->second];
  }
  std::vector<std::optional<SampledLaunches>> rows(distinct.size());
  for (std::size_t f = 0; f < sample.families.size(); ++f) {
    const LaunchFamily& family = sample.families[f];
    const std::size_t row = row_of.at(family.kernel);
    if (!rows[row])
      rows[row] = SampledLaunches{distinct[row], distinct[row], 0};
    rows[row]->simulated -= family.launches.size() - family.simulated.size();
    rows[row]->error = std::max(rows[row]->error, errors[f]);
  }
  return rows;
}

} // namespace kerncast::app
