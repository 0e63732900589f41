#include "loaded_latency.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerncast::engine {
namespace {

// Runs whose cycles differ by less are one.
constexpr double tolerance = 0.002;
// Warps that drift against each other make the cycles of neighbouring latencies differ to and fro. A latency
// that would change the cycles by less than the last run was off its line is not looked for, unless that is
// more than noise.
constexpr double most_noise = 0.008;
constexpr int most_runs = 10;
// No run comes nearer to the bandwidth at which the latency has no bound.
constexpr double highest_load = 0.995;

// Cycles of queueing at a mean of `bytes` in `cycles`.
double queueing(const DramLoad& load, double bytes, double cycles) {
  const double x = std::min(bytes / cycles, highest_load * load.limit);
  return load.slope * x / (load.limit - x);
}

struct LoadedRun {
  double queueing = 0; // what it was simulated with
  SmResult result;
};

struct Meeting {
  double queueing = 0;
  double cycles = 0;
};

double slope_between(const LoadedRun& low, const LoadedRun& high) {
  return (high.result.cycles - low.result.cycles) / (high.queueing - low.queueing);
}

// Where the straight line through two runs meets the queueing that its cycles lead to, by bisection: the one
// rises with the queueing and the other falls.
Meeting meeting_point(const DramLoad& load, const LoadedRun& low, const LoadedRun& high) {
  const double slope = slope_between(low, high);
  const auto cycles = [&](double at) { return low.result.cycles + slope * (at - low.queueing); };
  double below = low.queueing;
  double above = high.queueing;
  for (int i = 0; i < 50; ++i) {
    const double middle = (below + above) / 2;
    (queueing(load, high.result.dram_bytes, cycles(middle)) > middle ? below : above) = middle;
  }
  return {above, cycles(above)};
}

class UnderLoad {
public:
  UnderLoad(const SmWorkload& workload, const std::function<SmResult(const SmWorkload&)>& simulate)
      : workload_(workload), simulate_(simulate) {}

  SmResult solve() {
    LoadedRun low = run(0);
    const double wanted = wanted_by(low);
    if (wanted <= 0)
      return finish(std::move(low));
    LoadedRun high = run(wanted);
    const double slope = std::abs(slope_between(low, high));
    const LoadedRun* latest = &high;
    double allowed = tolerance;
    // Latency slowed the run: it wants less queueing than it got.
    while (runs_ < most_runs && wanted_by(high) < high.queueing) {
      const Meeting meeting = meeting_point(load(), low, high);
      if (slope * std::abs(meeting.queueing - latest->queueing) <= allowed * meeting.cycles)
        break;
      LoadedRun next = run(meeting.queueing);
      allowed = std::clamp(difference(next.result.cycles, meeting.cycles), tolerance, most_noise);
      const bool is_low = wanted_by(next) > next.queueing;
      (is_low ? low : high) = std::move(next);
      latest = is_low ? &low : &high;
      if (difference(latest->result.cycles, meeting.cycles) <= tolerance)
        break;
    }
    return finish(LoadedRun(*latest));
  }

private:
  const DramLoad& load() const { return workload_.config.dram_load; }

  LoadedRun run(double queueing) {
    workload_.config.dram_queueing = queueing;
    ++runs_;
    LoadedRun out{queueing, simulate_(workload_)};
    stepped_ += out.result.simulated_warp_instructions;
    return out;
  }

  double wanted_by(const LoadedRun& run) const {
    return queueing(load(), run.result.dram_bytes, run.result.cycles);
  }

  static double difference(double a, double b) { return std::abs(a - b) / a; }

  SmResult finish(LoadedRun&& run) const {
    run.result.simulated_warp_instructions = stepped_;
    return std::move(run.result);
  }

  SmWorkload workload_;
  const std::function<SmResult(const SmWorkload&)>& simulate_;
  int runs_ = 0;
  std::uint64_t stepped_ = 0;
};

} // namespace

SmResult simulate_under_load(const SmWorkload& workload,
                             const std::function<SmResult(const SmWorkload&)>& simulate) {
  if (workload.config.dram_load.limit <= 0)
    return simulate(workload);
  return UnderLoad(workload, simulate).solve();
}

} // namespace kerncast::engine
